import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UsageCounts } from './usage-counts.ts';
import type { RecordedInterval } from './usage-lines.ts';
import { UsageQueue, type UsageSink } from './usage-queue.ts';
import { IntervalRecorder, type UsageRecorderOptions } from './usage-recorder.ts';

let stored: RecordedInterval[];
let options: UsageRecorderOptions;
let recorder: IntervalRecorder;

/** The time stands still: a reload takes less than a millisecond. */
beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000, toFake: ['Date'] });
  stored = [];
  const sink: UsageSink = {
    name: 'postgres',
    write: async (interval) => {
      stored.push(interval);
      return 0;
    },
    close: async () => undefined,
  };
  const outages = { failed: () => undefined, succeeded: () => undefined };
  const queue = new UsageQueue({ sink, outages, onLost: () => undefined });
  options = {
    process: 'one',
    intervalMs: 86_400_000,
    bounds: () => ({ documents: 1, rows: 1 }),
    queues: [queue],
    cost: () => ({}) as never, // nothing is counted
  };
  recorder = new IntervalRecorder(options);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const begins = (): readonly number[] => stored.map(({ from }) => from.getTime());

describe('An interval of usage', () => {
  it('goes on with other bounds where nothing was counted in it', async () => {
    const asked = vi.spyOn(options, 'bounds');
    recorder.beginInterval();
    await recorder.close();
    expect(begins()).toEqual([1_000_000]);
    expect(asked).toHaveBeenCalledTimes(2); // by it, and by what would have come after the end
  });

  it('begins at another millisecond than the one before: sinks know it by that', async () => {
    vi.spyOn(UsageCounts.prototype, 'isEmpty', 'get').mockReturnValue(false);
    recorder.beginInterval();
    recorder.beginInterval();
    await recorder.close();
    expect(begins()).toEqual([1_000_000, 1_000_001, 1_000_002]);
  });
});
