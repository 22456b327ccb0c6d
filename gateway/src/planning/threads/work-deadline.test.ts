import { describe, expect, it } from 'vitest';
import { processorTimeOf, thisThread } from './thread-time.ts';
import { startDeadline } from './work-deadline.ts';

const LIMIT_MS = 10;

function overAfter(systemThread: number | undefined, clockMs: number): Promise<Error> {
  return new Promise((resolve) => {
    startDeadline({ limitMs: LIMIT_MS, maxWaitMs: 6 * LIMIT_MS, systemThread, clockMs, onOver: resolve });
  });
}

describe('The deadline of work in a query planner worker', () => {
  it.runIf(process.platform === 'linux')('counts the processor time of the thread', async () => {
    const { id, clock } = thisThread();
    const before = clock();
    while (clock() - before < LIMIT_MS);
    expect(await overAfter(id, before)).toMatchObject({
      limit: 'planningMs',
      maximum: LIMIT_MS,
      actual: expect.any(Number),
    });
    expect(processorTimeOf(id)).toBeGreaterThanOrEqual(before + LIMIT_MS);
  });

  it.runIf(process.platform === 'linux')('does not blame work that has hardly got a processor', async () => {
    const { id, clock } = thisThread();
    const startedAtMs = performance.now();
    expect(await overAfter(id, clock() + 60_000)).toMatchObject({ name: 'PlannerStarved' });
    expect(performance.now() - startedAtMs).toBeGreaterThan(5 * LIMIT_MS);
  });

  it.each([
    ['the thread has no clock of its own', undefined],
    ['the thread is gone', 2 ** 30],
  ])('counts the time of day where %s', async (_where, id) => {
    expect(await overAfter(id, 0)).toMatchObject({ name: 'PlannerOverstrained', limit: 'planningMs' });
  });

  it('is over with the work', async () => {
    const reasons: Error[] = [];
    const end = startDeadline({
      limitMs: 1,
      maxWaitMs: 2,
      systemThread: undefined,
      clockMs: 0,
      onOver: (reason) => reasons.push(reason),
    });
    end();
    await new Promise((resolve) => {
      setTimeout(resolve, 10 * LIMIT_MS);
    });
    expect(reasons).toEqual([]);
  });
});
