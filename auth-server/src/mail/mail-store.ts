import { defineStatements, execute, queryRows, type Pool } from '@trellis/postgres';
import { statements } from '../generated/statements.ts';
import type { Sealer } from '../secrets/sealing.ts';
import type { MailMessage, MailReader } from './mail.ts';

/** A message that one worker is to hand over. */
export interface ClaimedMessage {
  readonly id: string;
  readonly message: MailMessage;
  /** How often it was tried, this time included. */
  readonly attempts: number;
}

/** A message as operators see it: what it says is for its reader. Moments are milliseconds since 1970. */
export interface WaitingMessage extends Pick<MailMessage, 'to' | 'subject'> {
  readonly id: string;
  /** How often it was tried. */
  readonly attempts: number;
  readonly nextAttemptAt: number;
  readonly expiresAt: number;
}

/** Messages that wait to be handed over. Moments are milliseconds since 1970. */
export interface MailStore {
  /** @returns false where too many wait already for another to this reader */
  add(id: string, message: MailMessage, reader: MailReader, now: number, expiresAt: number): Promise<boolean>;
  /** Leases messages that are due: after a crash another instance takes them. */
  claim(now: number, limit: number, leaseMs: number): Promise<readonly ClaimedMessage[]>;
  /** Those that are due first, and how many wait. */
  list(limit: number): Promise<{ readonly messages: readonly WaitingMessage[]; readonly waiting: number }>;
  has(id: string): Promise<boolean>;
  postpone(id: string, nextAttemptAt: number): Promise<void>;
  remove(id: string): Promise<void>;
  /** Removes what is of no use any more. @returns how many */
  removeExpired(now: number): Promise<number>;
}

/**
 * Most messages that wait when another is added: an attack on sign-up fills no disk, and leaves places to messages for readers
 * with an account, such as links to reset a password.
 */
const MOST_WAITING = { account: 10_000, anybody: 8_000 } as const satisfies Record<MailReader, number>;

const sql = defineStatements(statements, 'mail-store', {
  add: `INSERT INTO mail_message (id, sealed, next_attempt_at, expires_at)
  SELECT $1, $2, $3, $4 WHERE (SELECT count(*) FROM mail_message) < $5`,
  claim: `UPDATE mail_message SET attempts = attempts + 1, next_attempt_at = $3
  WHERE id IN (SELECT id FROM mail_message WHERE next_attempt_at <= $1 AND expires_at > $1
               ORDER BY next_attempt_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING id, sealed, attempts`,
  list: 'SELECT id, sealed, attempts, next_attempt_at, expires_at FROM mail_message ORDER BY next_attempt_at, id LIMIT $1',
  count: { notNull: ['waiting'], text: 'SELECT count(*)::integer AS waiting FROM mail_message' },
  has: { notNull: ['has'], text: 'SELECT EXISTS (SELECT FROM mail_message WHERE id = $1) AS has' },
  postpone: 'UPDATE mail_message SET next_attempt_at = $2 WHERE id = $1',
  remove: 'DELETE FROM mail_message WHERE id = $1',
  removeExpired: 'DELETE FROM mail_message WHERE expires_at <= $1',
});

/** Messages in PostgreSQL, sealed for their row. One that can't be opened any more is removed. */
export function createMailStore(pool: Pool, sealer: Sealer): MailStore {
  const remove = async (id: string): Promise<void> => {
    await execute(pool, sql.remove, [id]);
  };
  return {
    add: async (id, message, reader, now, expiresAt) => {
      const sealed = sealer.seal(JSON.stringify(message), id);
      const moments = [new Date(now), new Date(expiresAt)] as const;
      return (await execute(pool, sql.add, [id, sealed, ...moments, MOST_WAITING[reader]])) === 1;
    },
    claim: async (now, limit, leaseMs) => {
      const rows = await queryRows(pool, sql.claim, [new Date(now), limit, new Date(now + leaseMs)]);
      const claimed: ClaimedMessage[] = [];
      for (const { id, sealed, attempts } of rows) {
        const text = sealer.open(sealed, id);
        if (text === undefined) await remove(id);
        else claimed.push({ id, message: JSON.parse(text) as MailMessage, attempts }); // sealed by us
      }
      return claimed;
    },
    list: async (limit) => {
      const [rows, counted] = await Promise.all([
        queryRows(pool, sql.list, [limit]),
        queryRows(pool, sql.count, []),
      ]);
      const messages = rows.flatMap(({ id, sealed, attempts, next_attempt_at: next, expires_at: end }) => {
        const text = sealer.open(sealed, id);
        if (text === undefined) return [];
        const { to, subject } = JSON.parse(text) as MailMessage; // sealed by us
        return [{ id, to, subject, attempts, nextAttemptAt: next.getTime(), expiresAt: end.getTime() }];
      });
      return { messages, waiting: counted[0]?.waiting ?? 0 };
    },
    has: async (id) => (await queryRows(pool, sql.has, [id]))[0]?.has === true,
    postpone: async (id, nextAttemptAt) => {
      await execute(pool, sql.postpone, [id, new Date(nextAttemptAt)]);
    },
    remove,
    removeExpired: (now) => execute(pool, sql.removeExpired, [new Date(now)]),
  };
}
