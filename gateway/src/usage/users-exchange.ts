import { randomUUID } from 'node:crypto';
import type { ListedUsers } from './listed-users.ts';

/** What a worker wants to know of the others: who has sent a field. The primary process asks them. */
export interface UsersWanted {
  readonly kind: 'users wanted';
  /** Names the question. */
  readonly id: string;
  /** `User.name`. */
  readonly field: string;
}

/** The same, as the primary process asks each of the others. */
export interface UsersQuestion extends Omit<UsersWanted, 'kind'> {
  readonly kind: 'users';
}

/** What one of them knows. */
export interface UsersReply {
  readonly kind: 'users';
  readonly id: string;
  readonly listed: ListedUsers;
}

/** What the others know, those who have replied in time. */
interface UsersOfOthers {
  readonly listed: readonly ListedUsers[];
  /** Workers whose part is missing. */
  readonly missing: number;
}

/** That, as the primary process says it. */
export interface UsersFound extends UsersOfOthers {
  readonly kind: 'users found';
  readonly id: string;
}

/** Brings together what workers know of the users of a field. */
export interface UsersExchange {
  /** Resolves within two seconds, and never rejects. */
  usersOf(field: string): Promise<UsersOfOthers>;
  close(): void;
}

/** Milliseconds for a response of the primary process, which waits for the workers itself. */
const DEADLINE_MS = 2_000;
/** Questions that wait; where there are more, the parts of the others are missing. */
const MAX_WAITING = 16;

/**
 * Exchanges with the other workers of the same primary process.
 *
 * @param others how many there are
 * @param own what this worker knows
 */
export function exchangeUsersThroughPrimary(
  others: number,
  own: (field: string) => ListedUsers,
): UsersExchange {
  const waiting = new Map<string, (found: UsersOfOthers) => void>();
  const onMessage = (message: UsersQuestion | UsersFound | { readonly kind: 'another' }): void => {
    if (message.kind === 'users') send({ kind: 'users', id: message.id, listed: own(message.field) });
    else if (message.kind === 'users found') waiting.get(message.id)?.(message);
  };
  process.on('message', onMessage);
  return {
    usersOf(field) {
      if (waiting.size >= MAX_WAITING) return Promise.resolve({ listed: [], missing: others });
      const id = randomUUID();
      return new Promise((resolve) => {
        const end = ({ listed, missing }: UsersOfOthers): void => {
          clearTimeout(timer);
          waiting.delete(id);
          resolve({ listed, missing });
        };
        const timer = setTimeout(() => end({ listed: [], missing: others }), DEADLINE_MS);
        waiting.set(id, end);
        send({ kind: 'users wanted', id, field });
      });
    },
    close: () => void process.off('message', onMessage),
  };
}

function send(message: UsersWanted | UsersReply): void {
  process.send?.(message);
}
