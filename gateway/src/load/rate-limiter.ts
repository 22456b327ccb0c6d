import { DEFAULT_SHARES, shareKeysOf } from '@trellis/runtime/admission';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { clientOf, userOf, type Caller, type ClientSoftware, clientSoftwareOf } from '../identity/caller.ts';
import type { CacheRedis } from '../caching/cache-redis.ts';
import { gatewayErrorCodes, rejected } from '../errors.ts';
import type { RequestContext } from '../request/context.ts';
import type { Rate, RateLimits } from '../settings/rate-limits.ts';

/** Counts operations against the rates. */
export interface RateLimiter {
  /** Objects of responses that count as one operation; infinite where no rate is configured. */
  readonly objectsPerOperation: number;
  /**
   * @returns nothing where there is nothing to wait for
   * @throws RequestError RATE_LIMITED
   */
  countAddress(address: string, operations: number): Promise<void> | undefined;
  /**
   * @returns nothing where there is nothing to wait for
   * @throws RequestError RATE_LIMITED
   */
  countCaller(caller: Caller, operations: number): Promise<void> | undefined;
  /**
   * Counts operations of a program that names itself.
   *
   * @returns nothing where there is nothing to wait for
   * @throws RequestError RATE_LIMITED
   */
  countSoftware(
    request: Pick<RequestContext, 'headers' | 'software'>,
    operations: number,
  ): Promise<void> | undefined;
  /**
   * Counts a response that was given: as one more operation for each {@link RateLimits.objectsPerOperation}, of the address and
   * of the caller. It rejects nothing: what is too much is what comes next.
   */
  chargeResponse(address: string, caller: Caller, objects: number): void;
  /** Counts the planning of an operation that was new, likewise: each full 100 ms of it as one more operation. */
  chargePlanning(address: string, caller: Caller, durationMs: number): void;
}

const PLANNING_MS_PER_OPERATION = 100;

/** Where no rate is configured. */
export const UNLIMITED_RATE: RateLimiter = Object.freeze({
  objectsPerOperation: Number.POSITIVE_INFINITY,
  countAddress: () => undefined,
  countCaller: () => undefined,
  countSoftware: () => undefined,
  chargeResponse: () => undefined,
  chargePlanning: () => undefined,
});

/**
 * Counts in Redis, so that a rate holds for all gateways together; while Redis is unavailable, and without one, each process
 * counts for itself. Who is over a rate is remembered here until the window ends, and costs Redis nothing.
 */
export function createRateLimiter(rates: RateLimits, redis: CacheRedis | undefined): RateLimiter {
  const address = rates.perAddress && createNetworkCounter(rates.perAddress, redis);
  const user = rates.perUser && createCounter('user', rates.perUser, redis);
  const client = rates.perClient && createCounter('client', rates.perClient, redis);
  const named = namedCounters(rates, redis);
  const { objectsPerOperation } = rates;
  const charge = (key: string, caller: Caller, operations: number): void => {
    if (operations === 0) return;
    void address?.(key, operations).catch(overdrawn);
    void countCaller(caller, operations, { user, client: undefined }).catch(overdrawn);
    void countCaller(caller, operations, { user: undefined, client }).catch(overdrawn);
  };
  return {
    objectsPerOperation,
    chargeResponse: (key, caller, objects) => charge(key, caller, Math.floor(objects / objectsPerOperation)),
    chargePlanning: (key, caller, durationMs) =>
      charge(key, caller, Math.floor(durationMs / PLANNING_MS_PER_OPERATION)),
    countAddress: (key, operations) => address?.(key, operations),
    countCaller: (caller, operations) =>
      user || client ? countCaller(caller, operations, { user, client }) : undefined,
    countSoftware(request, operations) {
      if (named.size === 0) return undefined;
      const software = clientSoftwareOf(request);
      return software && countNamed(software, operations, named);
    },
  };
}

/** A rate that is exceeded by what was done rejects what comes next. */
function overdrawn(): void {}

interface CallerCounters {
  readonly user: Counter | undefined;
  readonly client: Counter | undefined;
}

async function countCaller(
  caller: Caller,
  operations: number,
  { user, client }: CallerCounters,
): Promise<void> {
  const name = user && userOf(caller);
  if (name !== undefined) await user?.(name, operations);
  const clientName = client && clientOf(caller);
  if (clientName !== undefined) await client?.(clientName, operations);
}

/** A version has its rate, and that of its name. */
function countNamed(
  { name, version }: ClientSoftware,
  operations: number,
  named: ReadonlyMap<string, Counter>,
): Promise<void> | undefined {
  const versioned = `${name}@${version}`;
  const ofVersion = named.get(versioned);
  const ofName = named.get(name);
  if (!ofVersion) return ofName?.(name, operations);
  return ofVersion(versioned, operations).then(() => ofName?.(name, operations));
}

/** Only names that the operator has listed are counted, so that clients make no counters. */
function namedCounters(
  { clientNames }: RateLimits,
  redis: CacheRedis | undefined,
): ReadonlyMap<string, Counter> {
  const counters = Object.entries(clientNames).map(
    ([name, rate]) => [name, createCounter('client-name', rate, redis)] as const,
  );
  return new Map(counters);
}

/** The networks around an address may send some times as much: who owns a /48 has 65,536 networks of the narrowest kind. */
function createNetworkCounter(rate: Rate, redis: CacheRedis | undefined): Counter {
  const counters = DEFAULT_SHARES.ofCaller.map((times, level) =>
    createCounter(
      level === 0 ? 'address' : `network-${level}`,
      { operations: rate.operations * times, windowS: rate.windowS },
      redis,
    ),
  );
  return async (address, operations) => {
    const keys = shareKeysOf({ address });
    for (const [level, key] of keys.entries()) await counters[level]?.(key, operations);
  };
}

type Counter = (key: string, operations: number) => Promise<void>;

function createCounter(kind: string, rate: Rate, redis: CacheRedis | undefined): Counter {
  // A window of another length is another counter: what was counted in a long one must not outlast its change to a short one.
  const keyPrefix = `rate:${kind}:${rate.windowS}`;
  const options = { keyPrefix, points: rate.operations, duration: rate.windowS };
  const local = new RateLimiterMemory(options);
  const shared =
    redis &&
    new RateLimiterRedis({
      ...options,
      storeClient: redis.connection,
      rejectIfRedisNotReady: true,
      inMemoryBlockOnConsumed: rate.operations + 1,
      insuranceLimiter: local,
    });
  return async (key, operations) => {
    try {
      await (shared && redis.isUsable ? shared : local).consume(key, operations);
    } catch (error) {
      if (error instanceof RateLimiterRes) throw tooMany(error.msBeforeNext);
      throw error;
    }
  };
}

function tooMany(msBeforeNext: number): Error {
  const retryAfterS = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  const message = `${gatewayErrorCodes.RATE_LIMITED.summary} Try again in ${retryAfterS} s.`;
  return rejected('RATE_LIMITED', message, { retryAfterS });
}
