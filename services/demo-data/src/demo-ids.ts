import { v7 } from 'uuid';
import type { Random } from './random.ts';

const DAY_MS = 86_400_000;

/** Nothing in the demo data is older. */
export const DEMO_EPOCH_MS: number = Date.UTC(2025, 0, 1);

/** Nothing in the demo data is younger. */
export const DEMO_END_MS: number = Date.UTC(2025, 8, 1);

/** A UUID v7 that carries the given time and is the same at every start. */
export function demoId(createdAt: Date, random: Random): string {
  const bytes = Uint8Array.from({ length: 16 }, () => random.below(256));
  return v7({ msecs: createdAt.getTime(), random: bytes });
}

/** A moment between two days counted from the epoch, at an hour when people write. */
export function demoTime(random: Random, fromDay: number, toDay: number): Date {
  const day = fromDay + random.below(Math.max(1, toDay - fromDay));
  const timeOfDayMs = (7 + random.below(15)) * 3_600_000 + random.below(3_600_000);
  return new Date(DEMO_EPOCH_MS + day * DAY_MS + timeOfDayMs);
}
