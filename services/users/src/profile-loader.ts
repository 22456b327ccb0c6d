import { orderByKey, parseId } from '@trellis/subgraph-kit';
import DataLoader from 'dataloader';
import type { ProfileStore } from './profile-store.ts';
import type { Profile } from './profile.ts';

/** Reads profiles by id, all of one level of a request in one statement. */
export interface ProfileLoader {
  /** @returns null for an unknown id, and a malformed one is an unknown one */
  load(id: string): Promise<Profile | null>;
  /** Forgets what was read: a mutation of the same request has changed something. */
  forget(): void;
}

/** Makes a loader for one request. */
export function createProfileLoader(store: ProfileStore): ProfileLoader {
  const profiles = new DataLoader<string, Profile | null>(async (ids) =>
    orderByKey(ids, await store.findByIds(ids), ({ id }) => id),
  );
  return {
    load: async (text) => {
      const id = parseId(text);
      return id === undefined ? null : profiles.load(id);
    },
    forget: () => void profiles.clearAll(),
  };
}
