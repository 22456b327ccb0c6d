import type { ErrorDisclosure } from '../settings/subgraph-errors.ts';

/** What went wrong on the way to a subgraph. */
export type SubgraphFailureKind =
  'unreachable' | 'timeout' | 'too-large' | 'redirect' | 'encoding' | 'unavailable';

/** A subgraph gave no response that can be read. The message names the subgraph, never its address. */
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

/** A subgraph has answered with an error of its own: for the log, so that it names the subgraph, and with what clients see of it. */
export class SubgraphError extends Error {
  override readonly name = 'SubgraphError';
  readonly subgraph: string;
  /** Absent where the defaults hold. */
  readonly disclosure: ErrorDisclosure | undefined;

  constructor(subgraph: string, message: string, disclosure?: ErrorDisclosure) {
    super(message);
    this.subgraph = subgraph;
    this.disclosure = disclosure;
    this.stack = `SubgraphError: The subgraph "${subgraph}" answered: ${message}`; // frames of the reader say nothing
  }
}
