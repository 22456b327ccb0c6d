import { ShareBuckets, shareKeysOf } from '@trellis/runtime/admission';
import type { AttemptLimit, AttemptStore } from './attempt-store.ts';
import { RECORD_OVERHEAD_BYTES, type TakenRoom, type WriteRoom } from './write-room.ts';

/** Counts what anybody may try, without letting anybody fill the store with counters. */
export interface BoundedAttempts {
  /** Counts one attempt from an address; what is refunded is taken back where it was counted. */
  from(address: string): AttemptStore;
}

/** A counter in the store that this process has room for. */
interface StoredCounter {
  readonly room: TakenRoom;
  /** Milliseconds since 1970. */
  readonly until: number;
  /** Attempts that this process has counted there and not taken back. */
  attempts: number;
}

/**
 * A counter takes room once, however often it counts, until its window is over or nothing is counted there. Where there is no
 * room, it counts in this process alone, so that a full store closes nothing.
 *
 * @param clock milliseconds since 1970
 */
export function createBoundedAttempts(
  store: AttemptStore,
  room: WriteRoom,
  clock: () => number,
): BoundedAttempts {
  const counters = createStoredCounters(room, clock);
  const buckets = createProcessBuckets();
  const reserveInStore = async (
    counter: StoredCounter,
    name: string,
    limit: AttemptLimit,
  ): Promise<number> => {
    counter.attempts += 1;
    const waitS = await store.reserve(name, limit).catch((error: unknown) => {
      counters.takeBack(name, counter);
      throw error;
    });
    if (waitS > 0) counters.takeBack(name, counter);
    return waitS;
  };
  return {
    from: (address) => {
      const takeBacks = new Map<string, () => Promise<void>>();
      return {
        reserve: async (name, limit) => {
          const counter = counters.find(name, limit.windowS, address);
          if (!counter) {
            takeBacks.set(name, async () => buckets.of(limit).charge([name], -1));
            return Math.ceil(buckets.of(limit).take([name]) / 1000);
          }
          takeBacks.set(name, async () => {
            counters.takeBack(name, counter);
            await store.refund(name);
          });
          return reserveInStore(counter, name, limit);
        },
        refund: async (name) => takeBacks.get(name)?.(),
      };
    },
  };
}

interface StoredCounters {
  /** Takes room for a counter that has none yet. @returns undefined where there is none */
  find(name: string, windowS: number, address: string): StoredCounter | undefined;
  takeBack(name: string, counter: StoredCounter): void;
}

function createStoredCounters(room: WriteRoom, clock: () => number): StoredCounters {
  /** By window, so that the first of each is the first to expire. As many as there is room for. */
  const byWindow = new Map<number, Map<string, StoredCounter>>();
  const countersOf = (windowS: number): Map<string, StoredCounter> => {
    const counters = byWindow.get(windowS) ?? new Map<string, StoredCounter>();
    byWindow.set(windowS, counters);
    for (const [name, { until }] of counters) {
      if (until > clock()) break;
      counters.delete(name);
    }
    return counters;
  };
  return {
    find: (name, windowS, address) => {
      const counters = countersOf(windowS);
      const known = counters.get(name);
      if (known) return known;
      const taken = room.take(shareKeysOf({ address }), RECORD_OVERHEAD_BYTES, windowS);
      if (!taken) return undefined;
      const counter = { room: taken, until: clock() + windowS * 1000, attempts: 0 };
      counters.set(name, counter);
      return counter;
    },
    takeBack: (name, counter) => {
      counter.attempts -= 1;
      if (counter.attempts > 0) return;
      counter.room.giveBack();
      for (const counters of byWindow.values()) {
        if (counters.get(name) === counter) counters.delete(name);
      }
    },
  };
}

interface ProcessBuckets {
  of(limit: AttemptLimit): ShareBuckets;
}

/** One set for each limit, of which there are few. */
function createProcessBuckets(): ProcessBuckets {
  const byLimit = new Map<string, ShareBuckets>();
  return {
    of: ({ failures, windowS }) => {
      const key = `${failures} in ${windowS}`;
      const buckets = byLimit.get(key) ?? new ShareBuckets({ amounts: [failures], windowMs: windowS * 1000 });
      byLimit.set(key, buckets);
      return buckets;
    },
  };
}
