/** A rule that a fetch has to meet where another version of its subgraph responds. */
export type WindowRule = 'text' | 'response' | 'input' | 'representation' | 'external';

/** Why a fetch of one plan fails at a version of its subgraph. */
export interface Violation {
  readonly rule: WindowRule;
  /** Names it among others of one fetch. */
  readonly message: string;
}
