import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { GATEWAY_ITSELF, JobWaiters, type PlannerCaller } from './job-waiters.ts';
import { JobQueue, type JobQueueOptions, type PlannerWork } from './job-queue.ts';
import {
  PlannerOverstrained,
  PlannerQueueFull,
  PlannerShareSpent,
  PlannerStarved,
} from './planner-rejections.ts';
import { PlanningBudget } from './planning-budget.ts';
import { TaskFailed } from './worker-thread.ts';

const user = (name: string, onSpent?: (durationMs: number) => void): PlannerCaller => ({
  keys: [`user:${name}`],
  isKnown: true,
  onSpent,
});
const work = (operation: string): PlannerWork => ({
  supergraph: { hash: 'one', sdl: '' },
  task: { kind: 'job', job: 'plan', hash: 'one', input: { operation, overrideLabels: [] } },
});
const waiters = (caller: PlannerCaller, signal = new AbortController().signal): JobWaiters =>
  new JobWaiters(signal, caller);

interface Bench {
  readonly queue: JobQueue;
  /** What was done so far. */
  readonly done: string[];
  add(operation: string, caller: PlannerCaller): Promise<unknown>;
  /** Does what is next, in so many milliseconds. @returns whether there was something */
  serve(durationMs?: number): Promise<boolean>;
}

function createBench(options: Partial<JobQueueOptions> = {}): Bench {
  const queue = new JobQueue({ maxWaiting: 100, maxServed: () => 10, budget: undefined, ...options });
  const done: string[] = [];
  return {
    queue,
    done,
    add: (operation, caller) => queue.add(work(operation), waiters(caller)),
    async serve(durationMs = 10) {
      const run = queue.take();
      await run?.(async ({ task }) => {
        const operation = task.job === 'plan' ? task.input.operation : '';
        done.push(operation);
        return { result: operation, durationMs };
      });
      return run !== undefined;
    },
  };
}

describe('Jobs for query planner workers', () => {
  it('G3: of one who comes new are done before those of a caller who has had much', async () => {
    const bench = createBench();
    const heavy = Array.from({ length: 30 }, (_, index) => bench.add(`heavy ${index}`, user('heavy')));
    await bench.serve(300);
    await bench.serve(300);
    const light = bench.add('light', user('light'));
    await bench.serve(1);
    expect(await light).toBe('light');
    expect(bench.done).toEqual(['heavy 0', 'heavy 1', 'light']);
    while (await bench.serve());
    expect(await Promise.all(heavy)).toHaveLength(30);
  });

  it('G3: of one caller are rejected when it has used up its milliseconds, until some come back', async () => {
    const bench = createBench({ budget: new PlanningBudget({ callerMs: 1_000, windowMs: 60_000 }) });
    const spent: number[] = [];
    const heavy = user('heavy', (durationMs) => spent.push(durationMs));
    const first = bench.add('first', heavy);
    await bench.serve(1_500);
    expect(await first).toBe('first');
    expect(spent).toEqual([1_500]);
    const rejection = await bench.add('second', heavy).catch((error: unknown) => error);
    expect(rejection).toBeInstanceOf(PlannerShareSpent);
    expect(rejection).toMatchObject({ retryAfterMs: expect.closeTo(30_000, -3) });
    const other = bench.add('other', user('other'));
    await bench.serve();
    expect(await other).toBe('other');
  });

  it('G3: are not taken in when those that wait will use up the milliseconds of their caller', async () => {
    const bench = createBench({ budget: new PlanningBudget({ callerMs: 1_000, windowMs: 60_000 }) });
    const heavy = Array.from({ length: 10 }, (_, index) =>
      bench.add(`${index}`.padEnd(7_500), user('heavy')).catch((error: unknown) => error),
    );
    const rejected = bench.add('light', user('heavy'));
    await expect(rejected).rejects.toBeInstanceOf(PlannerShareSpent);
    for (let index = 0; index < 7; index += 1) await bench.serve(1);
    await bench.serve(1);
    const results = await Promise.all(heavy);
    expect(results.filter((response) => response instanceof PlannerShareSpent)).toHaveLength(3);
    const next = bench.add('next', user('heavy'));
    await bench.serve(1);
    expect(await next).toBe('next');
  });

  it('give back what was reserved for them when no one waits any more', async () => {
    const bench = createBench({ budget: new PlanningBudget({ callerMs: 100, windowMs: 60_000 }) });
    const leaving = new AbortController();
    const left = bench.queue.add(work('left'.padEnd(50_000)), waiters(user('ada'), leaving.signal));
    await expect(bench.add('rejected', user('ada'))).rejects.toBeInstanceOf(PlannerShareSpent);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    const next = bench.add('next', user('ada'));
    await bench.serve(1);
    expect(await next).toBe('next');
  });

  it('charge what has failed, or was killed, as well', async () => {
    const bench = createBench({ budget: new PlanningBudget({ callerMs: 1_000, windowMs: 60_000 }) });
    const fail = async (caller: PlannerCaller, error: Error): Promise<void> => {
      const job = bench.add('bad', caller);
      await bench.queue.take()?.(() => Promise.reject(error));
      await expect(job).rejects.toBe(error);
      await expect(bench.add('next', caller)).rejects.toBeInstanceOf(PlannerShareSpent);
    };
    await fail(user('ada'), new TaskFailed('No plan.', 1_100));
    await fail(user('bob'), new PlannerOverstrained('planningMs', 5_000, 5_001));
    await fail(user('eve'), new PlannerStarved(30_000, 1_100));
  });

  it.each([
    ['for which memory did not suffice', new PlannerOverstrained('planningMb', 512, 513)],
    ['whose thread has crashed', new Error('The query planner worker has ended.')],
  ])('charge the time of a job %s, though it was not measured', async (_which, error) => {
    const spent: number[] = [];
    const bench = createBench();
    const job = bench.add(
      'bad',
      user('ada', (durationMs) => spent.push(durationMs)),
    );
    await bench.queue.take()?.(async () => {
      await pause(30);
      throw error;
    });
    await expect(job).rejects.toBe(error);
    expect(spent).toEqual([expect.any(Number)]);
    expect(spent[0]).toBeGreaterThan(25);
  });

  it('of the gateway itself have no budget', async () => {
    const bench = createBench({ budget: new PlanningBudget({ callerMs: 10, windowMs: 60_000 }) });
    for (let index = 0; index < 3; index += 1) {
      const job = bench.add(`${index}`, GATEWAY_ITSELF);
      await bench.serve(1_000);
      expect(await job).toBe(`${index}`);
    }
  });

  it("that another caller joins are done when it is that caller's turn, and once", async () => {
    const bench = createBench();
    const waiting = Array.from({ length: 20 }, (_, index) => bench.add(`heavy ${index}`, user('heavy')));
    const shared = waiters(user('heavy'));
    const wanted = bench.queue.add(work('wanted by many'), shared);
    await bench.serve(100);
    shared.add(user('light'));
    shared.add(user('light'));
    await bench.serve();
    expect(await wanted).toBe('wanted by many');
    expect(bench.done).toEqual(['heavy 0', 'wanted by many']);
    while (await bench.serve());
    expect(bench.done).toHaveLength(waiting.length + 1);
  });

  it('that have a new caller beside one who has no share are not rejected', async () => {
    const bench = createBench({ maxWaiting: 10 });
    const waiting = Array.from({ length: 5 }, (_, index) => bench.add(`heavy ${index}`, user('heavy')));
    await expect(bench.add('heavy 5', user('heavy'))).rejects.toBeInstanceOf(PlannerShareSpent);
    const both = waiters(user('heavy'));
    both.add(user('light'));
    const wanted = bench.queue.add(work('wanted'), both);
    while (await bench.serve());
    expect(await wanted).toBe('wanted');
    await Promise.all(waiting);
  });

  it('leave a full queue for those of callers who have fewer waiting', async () => {
    const bench = createBench({ maxWaiting: 4 });
    const first = [0, 1].map((index) => bench.add(`a${index}`, user('a')));
    const second = [0, 1].map((index) => bench.add(`b${index}`, user('b')));
    const third = bench.add('c', user('c'));
    const settled = Promise.allSettled([...first, ...second]);
    await expect(bench.add('d', user('b'))).rejects.toThrow(/has as much waiting|wait for a plan/);
    while (await bench.serve());
    expect(await third).toBe('c');
    const rejected = (await settled).filter(({ status }) => status === 'rejected');
    expect(rejected).toHaveLength(1);
    expect(rejected[0]).toMatchObject({ reason: expect.any(PlannerQueueFull) });
  });

  it('are not begun when no one waits for them, and are ended with the queue', async () => {
    const bench = createBench();
    const leaving = new AbortController();
    const left = bench.queue.add(work('left'), waiters(user('ada'), leaving.signal));
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(await bench.serve()).toBe(false);
    const waiting = bench.add('waits', user('ada'));
    bench.queue.close(new Error('ended'));
    await expect(waiting).rejects.toThrow('ended');
    expect(bench.queue.isReady).toBe(false);
  });
});
