import type { ShareBuckets } from '@trellis/runtime/admission';
import { shareKeysOfCaller, type Caller } from '../identity/caller.ts';
import type { CacheRedis } from '../caching/cache-redis.ts';
import { isCacheable, type CachePolicy } from '../caching/cache-policy.ts';
import type { ExecutionResult } from '../plan/response-body.ts';
import { untilAborted } from '../abort/deadline-signal.ts';
import type { Plan } from '../plan/plan.ts';
import {
  contentsOf,
  readCached,
  resultOfCached,
  writeCached,
  type CachedResponse,
} from './response-contents.ts';
import { Invalidations, type Invalidation, type Write } from './invalidations.ts';

/** Settings of {@link ResponseCache}. */
export interface ResponseCacheOptions {
  readonly redis: CacheRedis;
  readonly observer: ResponseCacheObserver;
  /** Characters that each caller may have stored. */
  readonly shares: ShareBuckets;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

/** Called with the outcome of each lookup. */
export interface ResponseCacheObserver {
  /** `hit`: it was cached. `coalesced`: it waits for an equal one in flight. `miss`: it is executed. `failed`: Redis was unavailable. */
  lookup(outcome: 'hit' | 'coalesced' | 'miss' | 'failed'): void;
}

/** What may be stored. */
export interface CacheRules {
  /** Seconds. */
  readonly maxAgeS: number;
  readonly maxCharacters: number;
}

/** How responses are stored, in one state of the configuration. */
export interface ResponseCaching {
  readonly cache: ResponseCache;
  readonly rules: CacheRules;
  /** Whether public responses are made for all who have the same roles and scopes. */
  readonly sharePublic: boolean;
  /** Names the configuration: under another one, responses may be others. */
  readonly configuration: string;
}

/** A query whose response may be stored. */
export interface CachedQuery {
  readonly plan: Plan;
  /** Names all that the response depends on. */
  readonly key: string;
  /** Names the caller, as it does for what they write; absent for anonymous callers. */
  readonly writer: string | undefined;
  /** Whose share it counts in. */
  readonly caller: Caller;
  readonly address: string;
  /** Whether the key stands for one user: otherwise private responses are not cached. */
  readonly isOwn: boolean;
  readonly rules: CacheRules;
  readonly signal: AbortSignal;
  policyOf(result: ExecutionResult): CachePolicy;
}

const KEY_PREFIX = 'response-cache:1:';
/** After a failure Redis is left alone for so long: a Redis that hangs would make every query wait for it. */
const PAUSE_MS = 2_000;

/**
 * Caches responses in Redis until they expire. Equal concurrent queries are coalesced. While Redis is unavailable, every query
 * is executed.
 */
export class ResponseCache {
  readonly #redis: CacheRedis;
  readonly #observer: ResponseCacheObserver;
  readonly #shares: ShareBuckets;
  readonly #now: () => number;
  readonly #invalidations: Invalidations;
  /** What is being executed, by key; each comes to what was stored of it, and never rejects. */
  readonly #running = new Map<string, Promise<CachedResponse | undefined>>();
  /** Plans whose last response could not be stored: other queries do not wait for the next. */
  readonly #notCached = new WeakSet<Plan>();
  #pausedUntilMs = 0;

  constructor({ redis, observer, shares, now = Date.now }: ResponseCacheOptions) {
    this.#redis = redis;
    this.#observer = observer;
    this.#shares = shares;
    this.#now = now;
    this.#invalidations = new Invalidations(redis.connection);
  }

  /**
   * Returns the cached response of a query, or executes it.
   *
   * @throws what `execute` throws, and the signal's reason
   */
  async response(query: CachedQuery, execute: () => Promise<ExecutionResult>): Promise<ExecutionResult> {
    const found = await untilAborted(this.#find(query), query.signal);
    if (!found) return execute();
    if (found.cached) {
      this.#observer.lookup('hit');
      return resultOfCached(found.cached, this.#now());
    }
    const coalesced = await this.#coalesce(query);
    if (coalesced) return coalesced;
    this.#observer.lookup('miss');
    return this.#executeAndCache(query, found.position, execute);
  }

  /** Invalidates cached responses that were made from changed entities. Without Redis, they still expire by their TTL. */
  async invalidate(changes: readonly (Invalidation | Write)[]): Promise<void> {
    if (changes.length === 0 || !this.#redis.isUsable) return;
    await this.#invalidations.publish(changes).catch(() => this.#fail());
  }

  /** @returns nothing when Redis is unavailable */
  async #find({
    key,
    writer,
  }: CachedQuery): Promise<{ cached: CachedResponse | undefined; position: string } | undefined> {
    if (!this.#redis.isUsable || this.#now() < this.#pausedUntilMs) return undefined;
    try {
      const [text, position] = await Promise.all([
        this.#redis.connection.get(KEY_PREFIX + key),
        this.#invalidations.catchUp(),
      ]);
      const cached = text === null ? undefined : readCached(text);
      return { cached: cached && this.#isUsable(cached, writer) ? cached : undefined, position };
    } catch {
      this.#fail();
      return undefined;
    }
  }

  #isUsable({ contents, position, untilMs }: CachedResponse, writer: string | undefined): boolean {
    return untilMs > this.#now() && this.#invalidations.isFresh(contents, position, writer);
  }

  /** Waits for the execution of an equal query. What was invalidated since it began is not taken from it. */
  async #coalesce({ key, plan, signal, writer }: CachedQuery): Promise<ExecutionResult | undefined> {
    const running = this.#notCached.has(plan) ? undefined : this.#running.get(key);
    if (!running) return undefined;
    this.#observer.lookup('coalesced');
    const cached = await untilAborted(running, signal);
    return cached && this.#isUsable(cached, writer) ? resultOfCached(cached, this.#now()) : undefined;
  }

  #executeAndCache(
    query: CachedQuery,
    position: string,
    execute: () => Promise<ExecutionResult>,
  ): Promise<ExecutionResult> {
    const { key } = query;
    const execution = execute();
    const running = execution.then(
      (result) => this.#cache(query, position, result),
      () => undefined,
    );
    this.#running.set(key, running);
    void running.then(() => {
      if (this.#running.get(key) === running) this.#running.delete(key);
    });
    return execution;
  }

  #cache(query: CachedQuery, position: string, result: ExecutionResult): CachedResponse | undefined {
    const { plan } = query;
    const cached = this.#cachedOf(query, position, result);
    if (!cached) {
      this.#notCached.add(plan);
      return undefined;
    }
    this.#notCached.delete(plan);
    this.#store(query, cached);
    return cached;
  }

  #store({ key, rules, caller, address }: CachedQuery, cached: CachedResponse): void {
    const text = writeCached(cached);
    if (this.#shares.take(shareKeysOfCaller(caller, address), text.length) > 0) return;
    const lifetimeMs = Math.min(cached.untilMs - this.#now(), rules.maxAgeS * 1_000);
    this.#redis.connection
      .set(KEY_PREFIX + key, text, 'PX', Math.max(1, Math.floor(lifetimeMs)))
      .catch(() => this.#fail());
  }

  #fail(): void {
    this.#observer.lookup('failed');
    this.#pausedUntilMs = this.#now() + PAUSE_MS;
  }

  #cachedOf(
    { plan, rules, isOwn, policyOf }: CachedQuery,
    position: string,
    result: ExecutionResult,
  ): CachedResponse | undefined {
    const { data, dataText = JSON.stringify(data), errors } = result;
    if (errors || data === null || dataText.length > rules.maxCharacters) return undefined;
    const policy = policyOf(result);
    if (!isCacheable(policy) || (policy.isPrivate && !isOwn)) return undefined;
    return {
      dataText,
      untilMs: this.#now() + policy.maxAgeS * 1_000,
      isPrivate: policy.isPrivate,
      position,
      contents: contentsOf(plan, data),
    };
  }
}
