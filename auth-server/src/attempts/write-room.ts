import { ShareLimit, type ShareKeys } from '@trellis/runtime/admission';

/** Room in a store for what anybody can have written there. */
export interface WriteRoom {
  /** @returns room for so many bytes, which is taken for so long; undefined where there is none */
  take(keys: ShareKeys, bytes: number, ttlS: number): TakenRoom | undefined;
}

/** Room that someone has taken. */
export interface TakenRoom {
  /** Before it expires, where nothing was written after all. */
  giveBack(): void;
}

interface Written {
  readonly keys: ShareKeys;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** What a key, a value and its time-out take in Redis beside their texts. */
export const RECORD_OVERHEAD_BYTES = 200;
/** Seconds after which a network that has filled its share may find some again. */
export const FULL_RETRY_S = 30;

/** Of what is left, one address may hold half; networks around it all. */
const SHARES_OF_REST = [1 / 2, 1] as const;
/** What is left over to addresses that hold nothing yet, … */
const SHARE_OF_NEW = 1 / 4;
/** … of whose rest each may take so much: large records leave room for small ones. */
const SHARES_OF_NEW_REST = [1 / 8, 1] as const;

/**
 * Counts what this process has written, until it expires. A share is a part of what is left: one address alone gets a quarter
 * of all, and however many fill it, each leaves room for those that come new.
 *
 * @param totalBytes of what this process has written and has not expired
 * @param clock milliseconds since 1970
 * @see Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet switches" (1998)
 */
export function createWriteRoom(totalBytes: number, clock: () => number): WriteRoom {
  const held = new ShareLimit({ total: totalBytes, perKey: [totalBytes] });
  /** By lifetime, so that the first of each is the first to expire. */
  const written = new Map<number, Set<Written>>();
  const releaseExpired = (): void => {
    const now = clock();
    for (const records of written.values()) {
      for (const record of records) {
        if (record.until > now) break;
        records.delete(record);
        held.release(record.keys, record.bytes);
      }
    }
  };
  const fits = (keys: ShareKeys, bytes: number): boolean => {
    const isNew = held.heldBy(keys[0]) === 0;
    const shares = isNew ? SHARES_OF_NEW_REST : SHARES_OF_REST;
    const rest = totalBytes * (isNew ? 1 : 1 - SHARE_OF_NEW) - held.held;
    return keys.every((key, level) => held.heldBy(key) + bytes <= rest * (shares[level] ?? 1));
  };
  return {
    take: (keys, bytes, ttlS) => {
      releaseExpired();
      if (!fits(keys, bytes) || held.tryAcquire(keys, bytes) !== undefined) return undefined;
      const records = written.get(ttlS) ?? new Set<Written>();
      const record = { keys, bytes, until: clock() + ttlS * 1000 };
      records.add(record);
      written.set(ttlS, records);
      return { giveBack: () => void (records.delete(record) && held.release(keys, bytes)) };
    },
  };
}
