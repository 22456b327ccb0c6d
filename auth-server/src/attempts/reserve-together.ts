import type { AttemptLimit, AttemptStore } from './attempt-store.ts';

/** What an attempt is counted under. */
export interface Counter {
  readonly name: string;
  readonly limit: AttemptLimit;
}

/** An attempt that several counters were asked about. */
export interface Reservation {
  /** Seconds to wait for each counter; 0 where it may be made. */
  readonly waitsS: readonly number[];
  /** Takes the attempt back wherever it was counted. */
  readonly refund: () => Promise<void>;
}

/** Counts an attempt as failed in advance, everywhere or nowhere. */
export async function reserveTogether(
  attempts: AttemptStore,
  counters: readonly Counter[],
): Promise<Reservation> {
  const waitsS = await Promise.all(counters.map(({ name, limit }) => attempts.reserve(name, limit)));
  const counted = counters.filter((_counter, index) => waitsS[index] === 0);
  const refund = async (): Promise<void> => {
    await Promise.all(counted.map(({ name }) => attempts.refund(name)));
  };
  if (counted.length < counters.length) await refund();
  return { waitsS, refund };
}
