import type { Walk } from './walk.ts';

/** What the program sends when it has measured. */
export interface Walks {
  /** A hot query of two subgraphs, by the fast path. */
  readonly query: Walk;
  /** An event from a subgraph to its one subscriber. */
  readonly event: Walk;
  /** The same, with an entity of another subgraph. */
  readonly eventWithEntity: Walk;
}
