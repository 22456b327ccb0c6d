import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Admission } from './admission.ts';

let admission: Admission | undefined;
afterEach(() => admission?.close());

const known = (): boolean => true;
const stranger = (): boolean => false;

describe('F-20 the door', () => {
  it('is closed to requests beyond those that may be answered at a time', () => {
    admission = new Admission({ maxRequests: 2, maxDelayMs: 100, targetDelayMs: 10 });
    expect([admission.enter(known), admission.enter(known), admission.enter(known)]).toEqual([
      undefined,
      undefined,
      'requests',
    ]);
    admission.leave();
    expect(admission.enter(known)).toBeUndefined();
  });

  it('is closed while the process lags behind, and open again when it has caught up', async () => {
    admission = new Admission({ maxRequests: 1_000, maxDelayMs: 30, targetDelayMs: 10 });
    expect(admission.enter(known)).toBeUndefined();
    for (let computation = 0; computation < 5; computation += 1) {
      block(100);
      await pause(1);
    }
    expect(admission.enter(known)).toBe('delay');
    while (admission.enter(known) !== undefined) await pause(5);
    expect(admission.inFlight).toBe(2);
  });

  it('stays open through one long computation', async () => {
    admission = new Admission({ maxRequests: 1_000, maxDelayMs: 30, targetDelayMs: 10 });
    admission.enter(known);
    block(200);
    await pause(1);
    expect(admission.enter(known)).toBeUndefined();
  });

  it('is closed while those inside wait long for one another, but never when nobody is inside', () => {
    let waitedMs = 50;
    admission = new Admission(
      { maxRequests: 1_000, maxDelayMs: 100, targetDelayMs: 10 },
      { queueDelayMs: () => waitedMs },
    );
    expect(admission.enter(known)).toBeUndefined();
    waitedMs = 101;
    expect(admission.enter(known)).toBe('delay');
    admission.leave();
    expect(admission.enter(known)).toBeUndefined();
  });

  it('is closed to those who would wait for longer than the target, while more arrive than are answered', () => {
    let now = 1_000;
    let expectedMs = 11;
    const dropped: number[] = [];
    admission = new Admission(
      { maxRequests: 1_000, maxDelayMs: 1_000, targetDelayMs: 10 },
      {
        now: () => now,
        expectedDelayMs: () => expectedMs,
        onPressure: (targetDelayMs) => dropped.push(targetDelayMs),
      },
    );
    while (admission.enter(known) === undefined) now += 10;
    expect(now).toBeGreaterThan(1_150); // until then it may be a burst
    expect(dropped).toEqual([10]);
    expectedMs = 9;
    expect(admission.enter(stranger)).toBe('delay');
    expect(admission.enter(known)).toBeUndefined();
    expectedMs = 0;
    expect(admission.enter(stranger)).toBeUndefined();
  });

  it('keeps some places for callers who are known', () => {
    admission = new Admission({ maxRequests: 10, maxDelayMs: 100, targetDelayMs: 10 });
    const strangers = Array.from({ length: 10 }, () => admission?.enter(stranger));
    expect(strangers.filter((reason) => reason === undefined)).toHaveLength(9);
    expect([admission.enter(known), admission.enter(known)]).toEqual([undefined, 'requests']);
  });
});

/** What a long computation does to the event loop. */
function block(durationMs: number): void {
  const until = performance.now() + durationMs;
  while (performance.now() < until);
}
