import { once } from 'node:events';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { cacheRedisProblems } from './cache-redis-problems.ts';
import { describeRedis } from './redis-instance.ts';

/** A Redis for what clients can have stored: it may forget anything, and nothing waits for it for long. */
export interface CacheRedis {
  readonly connection: RedisConnection;
  /** Whether it can be used now: connected, and found fit. Callers do without it otherwise. */
  readonly isUsable: boolean;
}

/** Settings of {@link openCacheRedis}. */
export interface CacheRedisOptions {
  readonly url: string;
  /** Names it in the configuration, for the operator. */
  readonly setting: string;
  /** Shown by CLIENT LIST. */
  readonly name: string;
  /** Milliseconds for a command: executing an operation takes no longer than some hundreds. */
  readonly commandTimeoutMs: number;
  /** Where sign-ins live; absent where the configuration names none. */
  readonly signIn: { readonly url: string; readonly connection: RedisConnection } | undefined;
  /** Called once until it is reached again. */
  readonly onError: (error: Error) => void;
  /**
   * Called with what makes it unfit, each time that it is reached.
   *
   * @returns whether it is used all the same
   */
  readonly onUnfit: (problems: readonly string[]) => boolean;
}

/** An opened one. */
export interface OpenCacheRedis extends CacheRedis {
  /** What makes it unfit; empty where it is fit or was not reached yet. */
  readonly problems: readonly string[];
  close(): void;
}

/** Milliseconds that a start waits for it. */
const START_WAIT_MS = 2_000;
/** Milliseconds after which one that was reached and did not answer is judged again. */
const JUDGE_AGAIN_MS = 5_000;

/**
 * Connects, and judges the instance whenever it is reached: a failover may lead to another one. Until it is judged it is not used.
 *
 * @returns once it is judged, can't be reached, or two seconds have passed
 */
export async function openCacheRedis(options: CacheRedisOptions): Promise<OpenCacheRedis> {
  const { url, name, commandTimeoutMs, onError } = options;
  const connection = connectRedis({ url, name, commandTimeoutMs, onError });
  const redis = new JudgedRedis(connection, options);
  await redis.firstJudged();
  return redis;
}

class JudgedRedis implements OpenCacheRedis {
  readonly connection: RedisConnection;
  readonly #options: CacheRedisOptions;
  readonly #judged: Promise<void>;
  #isFit = false;
  #problems: readonly string[] = [];
  #next: NodeJS.Timeout | undefined;

  constructor(connection: RedisConnection, options: CacheRedisOptions) {
    this.connection = connection;
    this.#options = options;
    connection.on('close', () => (this.#isFit = false));
    this.#judged = new Promise((resolve) => {
      connection.on('ready', () => void this.#judge().finally(resolve));
    });
  }

  get isUsable(): boolean {
    return this.#isFit && this.connection.status === 'ready';
  }

  get problems(): readonly string[] {
    return this.#problems;
  }

  async firstJudged(): Promise<void> {
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(START_WAIT_MS)]);
    const failed = once(this.connection, 'error', { signal }).catch(() => undefined); // `once` rejects at the end of the wait
    await Promise.race([this.#judged, failed]);
    ended.abort();
  }

  close(): void {
    clearTimeout(this.#next);
    this.connection.disconnect();
  }

  async #judge(): Promise<void> {
    const { url, setting, signIn, onUnfit } = this.#options;
    try {
      const [instance, signInInstance] = await Promise.all([
        describeRedis(this.connection).catch(unlessRejected),
        // An unavailable one is known by its address alone.
        signIn && describeRedis(signIn.connection).catch(() => undefined),
      ]);
      const named = signIn && { url: signIn.url, instance: signInInstance };
      this.#problems = cacheRedisProblems(setting, { url, instance }, named);
      this.#isFit = this.#problems.length === 0 || onUnfit(this.#problems);
    } catch {
      clearTimeout(this.#next);
      this.#next = setTimeout(() => void this.#judge(), JUDGE_AGAIN_MS).unref(); // it was lost, or hangs
    }
  }
}

/** A Redis that rejects the command stays undescribed; one that does not respond is asked again. */
function unlessRejected(error: unknown): undefined {
  if (error instanceof Error && error.name === 'ReplyError') return undefined;
  throw error;
}
