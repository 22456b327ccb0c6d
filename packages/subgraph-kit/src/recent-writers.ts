import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { RedisConnection } from '@trellis/redis';
import { eventKey } from '@trellis/subgraph-protocol';

/** Who has just changed something, in any process of the service. */
export interface RecentWriters {
  /**
   * A user's change is committed. Resolves when the other processes know: what is read after the response of a mutation knows of it.
   * Where they can't be notified it takes the whole window.
   */
  wrote(userId: string): Promise<void>;
  /**
   * Whether a user may have changed something within the window. True for all while this process can't know.
   *
   * @param userId null for someone who is not signed in, and changes nothing
   */
  mayHaveWritten(userId: string | null): Promise<boolean>;
}

/** Settings of {@link createRecentWriters}. */
export interface RecentWritersOptions {
  readonly service: string;
  readonly connectRedis: () => RedisConnection;
  /** Milliseconds for which a user counts. */
  readonly windowMs: number;
  /** Users that are remembered: with more within the window, all count. @default 100,000 */
  readonly mostUsers?: number;
}

const MOST_USERS = 100_000;

/** Notifies the processes of a service by a channel in Redis. A process that has just begun to listen knows of no one for the window. */
export function createRecentWriters(options: RecentWritersOptions): RecentWriters {
  const { service, connectRedis, windowMs, mostUsers = MOST_USERS } = options;
  const channel = writersChannel(service);
  const writers = new Writers(windowMs, mostUsers);
  const listening = listen(connectRedis(), channel, (userId) => writers.add(userId));
  const sender = connectRedis();
  return {
    wrote: async (userId) => {
      writers.add(userId);
      await announce(sender, channel, userId).catch(() => sleep(windowMs));
    },
    mayHaveWritten: async (userId) => {
      if (performance.now() < listening.since() + windowMs) return true;
      if (userId !== null) await nextTurn(); // what has arrived before the request is read before this resolves
      return writers.mayHave(userId);
    },
  };
}

/** Resolves when Redis has sent it to all who listen: it does so before it reads what comes after its reply. */
async function announce(sender: RedisConnection, channel: string, userId: string): Promise<void> {
  await sender.publish(channel, userId);
  await sender.ping();
}

/** The channel on which the processes of a service announce who has changed something. */
export function writersChannel(service: string): string {
  return eventKey(service, 'writers');
}

/** Those who count, each for the window after the last change. */
class Writers {
  readonly #windowMs: number;
  readonly #most: number;
  /** Until when a user counts; those who have not written for the longest time are at the front. */
  readonly #until = new Map<string, number>();
  /** Until when everybody counts: there were too many to remember. */
  #allUntil = -Infinity;

  constructor(windowMs: number, most: number) {
    this.#windowMs = windowMs;
    this.#most = most;
  }

  add(userId: string): void {
    const now = performance.now();
    for (const [other, until] of this.#until) {
      if (until > now) break;
      this.#until.delete(other);
    }
    this.#until.delete(userId);
    this.#until.set(userId, now + this.#windowMs);
    if (this.#until.size <= this.#most) return;
    this.#until.clear();
    this.#allUntil = now + this.#windowMs;
  }

  mayHave(userId: string | null): boolean {
    const now = performance.now();
    if (now < this.#allUntil) return true;
    return userId !== null && (this.#until.get(userId) ?? -Infinity) > now;
  }
}

interface Listening {
  /** Since when nothing was missed, on the clock of this process; Infinity while something is. */
  since(): number;
}

function listen(connection: RedisConnection, channel: string, onMessage: (text: string) => void): Listening {
  let since = Infinity;
  connection.on('message', (_channel: string, text: string) => onMessage(text));
  connection.on('close', () => (since = Infinity));
  const subscribe = (): void => {
    connection.subscribe(channel).then(
      () => (since = performance.now()),
      () => undefined, // the next connection tries again
    );
  };
  connection.on('ready', subscribe);
  if (connection.status === 'ready') subscribe();
  return { since: () => since };
}
