import { USER_SAVED, type UserSaved } from '@trellis/content-events';
import type { SnapshotPage } from '@trellis/events';
import type { ProfileStore } from './profile-store.ts';

/** A page of all profiles, for services that have missed events. */
export async function readSnapshot(
  store: ProfileStore,
  after: string | null,
  limit: number,
): Promise<SnapshotPage> {
  const profiles = await store.scan(after, limit);
  const items = profiles.map(({ id, name }) => {
    const payload: UserSaved = { id, name };
    return { type: USER_SAVED, subject: id, payload };
  });
  return { items, next: profiles.length < limit ? null : (profiles.at(-1)?.id ?? null) };
}
