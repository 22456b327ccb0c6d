import { describe, expect, it } from 'vitest';
import { WorkMeter } from './work-meter.ts';

/** A thread whose work takes what the test says. */
function startThread(): { readonly meter: WorkMeter; readonly readings: () => number; run: Run } {
  let [nowMs, workedMs, readings] = [1_000, 30, 0];
  const meter = new WorkMeter(
    () => ((readings += 1), workedMs),
    () => nowMs,
  );
  return {
    meter,
    readings: () => readings,
    run: (work, passed = work) => {
      meter.begin();
      nowMs += passed;
      workedMs += work;
      return meter.end();
    },
  };
}

/** Milliseconds of the thread, and of the time of day. @returns what was measured */
type Run = (workMs: number, passedMs?: number) => number;

describe('What a query planner worker has worked', () => {
  it('is its processor time, however long others had the processor meanwhile', () => {
    const { run, meter } = startThread();
    expect(run(40)).toBe(40);
    expect(run(10, 400)).toBe(10);
    expect(meter.clockMs).toBe(80);
  });

  it('is the time of day for a brief plan: the clock of the thread is read every 20 ms', () => {
    const { run, readings, meter } = startThread();
    const measured = Array.from({ length: 100 }, () => run(0.5));
    expect(measured).toEqual(Array.from({ length: 100 }, () => 0.5));
    expect(readings()).toBeLessThanOrEqual(1 + 3);
    expect(meter.clockMs).toBe(80);
  });

  it('is put right at the next reading where brief plans were interrupted', () => {
    const { run, meter } = startThread();
    for (let plan = 0; plan < 100; plan += 1) run(0.5, 1);
    run(30, 60);
    expect(meter.clockMs).toBe(30 + 50 + 30);
  });

  it('does not charge a plan for what the thread has done between plans', () => {
    const { run, meter } = startThread();
    run(3);
    for (let time = 0; time < 5; time += 1) {
      run(50); // stands for messages and garbage
      expect(run(10, 100)).toBeLessThanOrEqual(15);
    }
    expect(meter.clockMs).toBeGreaterThan(30 + 300 - 5);
  });

  it('is never less than nothing', () => {
    const { run } = startThread();
    for (let plan = 0; plan < 50; plan += 1) expect(run(0, 1.5)).toBeGreaterThanOrEqual(0);
  });
});
