import { USER_SAVED, type UserSaved } from '@trellis/content-events';
import { appendEvent } from '@trellis/events';
import type { Transaction } from '@trellis/postgres';

/** Publishes the current name of a profile. */
export function publishSaved(transaction: Transaction, { id, name }: UserSaved): Promise<void> {
  const payload: UserSaved = { id, name };
  return appendEvent(transaction, { type: USER_SAVED, subject: id, payload });
}
