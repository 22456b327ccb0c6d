import type { TopicDefinition } from '@trellis/subgraph-kit';
import type { ProfileStore } from '../profile-store.ts';
import { nameless, type Profile } from '../profile.ts';
import { readPresenceChange, type PresenceChange } from './presence-set.ts';

/** Someone who has come or gone, with their profile. */
export interface UserStatus extends PresenceChange {
  readonly user: Profile;
}

/** Comings and goings, by user. */
export function statusTopic(store: ProfileStore): TopicDefinition<UserStatus> {
  return {
    name: 'userStatusChanged',
    read: async (events) => {
      const changes = events.map(({ payload }) => readPresenceChange(payload));
      const profiles = await store.findByIds([...new Set(changes.map(({ userId }) => userId))]);
      const profilesById = new Map(profiles.map((profile) => [profile.id, profile]));
      return changes.map((change) => ({
        key: change.userId,
        item: { ...change, user: profilesById.get(change.userId) ?? nameless(change.userId) },
      }));
    },
  };
}
