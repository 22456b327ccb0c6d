import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RecordedInterval } from './usage-lines.ts';
import { NeverStored, UsageQueue, type UsageSink } from './usage-queue.ts';

const MINUTE_MS = 60_000;

function interval(minute: number, text = '{}'): RecordedInterval {
  const from = new Date(minute * MINUTE_MS);
  const operations = [{ id: 'a', name: undefined, requests: 1, errors: 0, text }];
  return { from, to: new Date((minute + 1) * MINUTE_MS), process: 'one', isComplete: true, operations };
}

interface Watched {
  readonly queue: UsageQueue;
  /** The minute of each interval that was stored, with a minus where something is missing before it. */
  readonly stored: string[];
  readonly attempts: number[];
  readonly lost: number[];
  readonly closed: string[];
}

function watch(write: (attempt: number) => Promise<number | void> | number | void): Watched {
  const [stored, attempts, lost, closed]: [string[], number[], number[], string[]] = [[], [], [], []];
  const sink: UsageSink = {
    name: 'folder',
    async write({ from, isComplete }) {
      attempts.push(Date.now());
      const leftOut = await write(attempts.length);
      stored.push(`${isComplete ? '' : '-'}${from.getTime() / MINUTE_MS}`);
      return leftOut ?? 0;
    },
    close: async () => void closed.push('closed'),
  };
  const outages = { failed: () => undefined, succeeded: () => undefined };
  const queue = new UsageQueue({ sink, outages, onLost: (operations) => void lost.push(operations) });
  return { queue, stored, attempts, lost, closed };
}

const fails = (): Promise<void> => Promise.reject(new Error('unavailable'));

describe('Intervals on their way to a sink', () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('are stored in their order, and none is lost where the sink takes them', async () => {
    const { queue, stored, lost, closed } = watch(() => undefined);
    for (const minute of [1, 2, 3]) queue.add(interval(minute));
    await queue.close(AbortSignal.timeout(1_000));
    expect([stored, lost, closed]).toEqual([['1', '2', '3'], [], ['closed']]);
  });

  it('wait longer after each failure, up to a minute, and are stored when the sink is back', async () => {
    vi.useFakeTimers({ now: 0 });
    const { queue, stored, attempts } = watch((attempt) => (attempt < 9 ? fails() : undefined));
    queue.add(interval(1));
    await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
    const pauses = attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0));
    const nominal = [1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1_000);
    expect(pauses).toHaveLength(nominal.length);
    for (const [index, pauseMs] of pauses.entries())
      expect(Math.abs(pauseMs / (nominal[index] ?? 0) - 1)).toBeLessThan(0.21);
    expect(stored).toEqual(['1']);
  });

  it.each([
    ['ten intervals', '{}', 10],
    ['16 MB', 'x'.repeat(6 * 1024 * 1024), 2],
  ])('are no more than %s: the oldest are lost, and the next says so', async (_what, text, waiting) => {
    let isBack = false;
    const { queue, stored, lost, closed } = watch(() => (isBack ? undefined : fails()));
    for (let minute = 1; minute <= waiting + 2; minute += 1) queue.add(interval(minute, text));
    isBack = true;
    await queue.close(AbortSignal.timeout(1_000));
    expect(lost).toEqual([1, 1]);
    expect(stored).toHaveLength(waiting);
    expect(stored.slice(0, 2)).toEqual(['-3', '4']);
    expect(closed).toEqual(['closed']);
  });

  it('hold up the end of the process until its deadline, and no longer', async () => {
    const { queue, lost, closed } = watch(() => new Promise(() => undefined));
    for (const minute of [1, 2, 3]) queue.add(interval(minute));
    const deadline = new AbortController();
    const closing = queue.close(deadline.signal);
    deadline.abort();
    await closing;
    expect([lost, closed]).toEqual([[1, 1, 1], []]);
  });

  it('M1: do not fill the threads of the process where a folder hangs: a write is waited for before another begins', async () => {
    vi.useFakeTimers({ now: 0 });
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const late = new AbortController();
      setTimeout(() => late.abort(new Error('late')), ms);
      return late.signal;
    });
    let end: () => void = () => undefined;
    const { queue, stored, attempts } = watch((attempt) =>
      attempt === 1 ? new Promise((resolve) => (end = resolve)) : undefined,
    );
    queue.add(interval(1));
    queue.add(interval(2));
    await vi.advanceTimersByTimeAsync(5 * MINUTE_MS);
    expect([attempts.length, stored]).toEqual([1, []]);
    end();
    await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
    expect([attempts.length, stored]).toEqual([2, ['1', '2']]);
  });

  it('M3: that a sink takes in part are counted as lost in part, and the next says so', async () => {
    const { queue, stored, lost } = watch((attempt) => (attempt === 1 ? 3 : 0));
    for (const minute of [1, 2, 3]) queue.add(interval(minute));
    await queue.close(AbortSignal.timeout(1_000));
    expect([stored, lost]).toEqual([['1', '-2', '3'], [3]]);
  });

  it('that a sink will never take do not keep the others from it', async () => {
    const { queue, stored, lost } = watch((attempt) =>
      attempt === 1 ? Promise.reject(new NeverStored('too large')) : undefined,
    );
    for (const minute of [1, 2]) queue.add(interval(minute));
    await queue.close(AbortSignal.timeout(1_000));
    expect([stored, lost]).toEqual([['-2'], [1]]);
  });
});
