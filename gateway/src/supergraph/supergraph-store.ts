import type { Supergraph } from './supergraph.ts';

/** Where the current supergraph is to be had. */
export interface SupergraphStore {
  /** The generation that new operations begin with. */
  current(): Supergraph;
  /** Called after each swap. @returns ends it */
  onChange(listener: (next: Supergraph, previous: Supergraph) => void): () => void;
  close(): Promise<void>;
}
