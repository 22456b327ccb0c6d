import type { Mutations, Topic } from '@trellis/subgraph-kit';
import type { UserContext } from '@trellis/subgraph-protocol';
import type { PresenceSet } from './presence/presence-set.ts';
import type { UserStatus } from './presence/status-topic.ts';
import type { ProfileLoader } from './profile-loader.ts';
import type { ProfileStore } from './profile-store.ts';

/** What each resolver of a request receives. */
export interface SubgraphContext {
  /** Who is asking. */
  readonly userContext: UserContext;
  readonly store: ProfileStore;
  readonly profiles: ProfileLoader;
  readonly mutations: Mutations;
  /** The users online; undefined without Redis. */
  readonly presence: PresenceSet | undefined;
  /** Comings and goings, by user. */
  readonly userStatusChanged: Topic<UserStatus>;
  /** The event after which a subscription goes on. */
  readonly lastEventId?: string | undefined;
}
