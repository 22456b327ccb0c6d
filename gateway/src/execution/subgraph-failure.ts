/** What went wrong on the way to a subgraph. */
export type SubgraphFailureKind =
  'unreachable' | 'timeout' | 'too-large' | 'redirect' | 'encoding' | 'unavailable';

/** A subgraph gave no answer that can be read. The message names the subgraph, never its address. */
export class SubgraphFailure extends Error {
  override readonly name = 'SubgraphFailure';
  readonly subgraph: string;
  readonly kind: SubgraphFailureKind;

  constructor(subgraph: string, kind: SubgraphFailureKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.subgraph = subgraph;
    this.kind = kind;
  }
}
