import type { UserContext } from '@trellis/subgraph-protocol';
import type { NodeLoader } from './node-loader.ts';
import type { Search } from './search.ts';

/** What each resolver of a request receives. */
export interface SubgraphContext {
  /** Who is asking. */
  readonly userContext: UserContext;
  readonly search: Search;
  readonly nodes: NodeLoader;
}
