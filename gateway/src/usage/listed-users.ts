import type { FieldUser } from '../pipeline/services.ts';

/** A client as a process counts it. */
export interface CountedClient extends Omit<FieldUser, 'lastUsed'> {
  /** When it has sent an operation last, in milliseconds since 1970. */
  readonly lastMs: number;
}

/** The same, as it is listed. */
export function toFieldUser({ lastMs, ...client }: CountedClient): FieldUser {
  return { ...client, lastUsed: new Date(lastMs).toISOString() };
}

/** Clients that are listed: some 50 kB, as their names have 100 characters at most. */
const MAX_LISTED = 200;

/** Clients that have sent a field, the busiest first. */
export interface ListedUsers {
  readonly users: readonly FieldUser[];
  /** Clients that found no room in the list; of several workers, some may be counted more than once. */
  readonly further: number;
}

/** Lists the busiest clients of several lists, each with all of its requests. */
export function listUsers(lists: readonly ListedUsers[]): ListedUsers {
  const merged = new Map<string, FieldUser>();
  for (const user of lists.flatMap(({ users }) => users)) {
    const key = JSON.stringify([user.name, user.version]);
    const known = merged.get(key);
    merged.set(key, known ? addUp(known, user) : user);
  }
  const sorted = [...merged.values()].toSorted((left, right) => right.requests - left.requests);
  const unlisted = lists.reduce((sum, { further }) => sum + further, 0);
  return { users: sorted.slice(0, MAX_LISTED), further: unlisted + Math.max(0, sorted.length - MAX_LISTED) };
}

function addUp(one: FieldUser, other: FieldUser): FieldUser {
  const lastUsed = one.lastUsed > other.lastUsed ? one.lastUsed : other.lastUsed; // ISO 8601 in UTC sorts by time
  return { ...one, requests: one.requests + other.requests, lastUsed };
}
