import { defineScript, type RedisConnection } from '@trellis/redis';

/** A limit on failures within a window. */
export interface AttemptLimit {
  readonly failures: number;
  readonly windowS: number;
}

/** Counts attempts that may fail. */
export interface AttemptStore {
  /** Counts an attempt as failed in advance. @returns 0 when it may be made, else the seconds to wait */
  reserve(name: string, limit: AttemptLimit): Promise<number>;
  /** Takes back a reservation whose attempt succeeded. */
  refund(name: string): Promise<void>;
}

const reserveAttempt = defineScript(new URL('../../src/attempts/reserve-attempt-1.lua', import.meta.url));
const refundAttempt = defineScript(new URL('../../src/attempts/refund-attempt-1.lua', import.meta.url));

/** Counters in Redis, which expire with their window. */
export function createAttemptStore(redis: RedisConnection): AttemptStore {
  return {
    reserve: async (name, { failures, windowS }) =>
      Number(await reserveAttempt(redis, [keyOf(name)], [failures, windowS])),
    refund: async (name) => {
      await refundAttempt(redis, [keyOf(name)], []);
    },
  };
}

function keyOf(name: string): string {
  return `attempts:{${name}}`;
}
