import type { Mutations } from '@trellis/subgraph-kit';
import type { UserContext } from '@trellis/user-context';
import type { ProfileLoader } from './profile-loader.ts';
import type { ProfileStore } from './profile-store.ts';

/** What each resolver of a request receives. */
export interface SubgraphContext {
  /** Who is asking. */
  readonly userContext: UserContext;
  readonly store: ProfileStore;
  readonly profiles: ProfileLoader;
  readonly mutations: Mutations;
}
