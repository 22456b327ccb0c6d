import { setTimeout as pause } from 'node:timers/promises';
import { shareKeysOf } from '@trellis/runtime/admission';
import { afterEach, describe, expect, it } from 'vitest';
import { Admission, type DropRules, type OperationQueue } from './admission.ts';

let admission: Admission | undefined;
afterEach(() => admission?.close());

/** A queue of which each figure is what a function says then. */
function queueWith(figures: {
  readonly longestWaitMs?: () => number;
  readonly expectedWaitMs?: () => number;
  readonly newcomerWaitMs?: () => number;
  readonly turnMs?: () => number;
  readonly dropWaiting?: (rules: DropRules) => void;
}): OperationQueue {
  return {
    get longestWaitMs() {
      return figures.longestWaitMs?.() ?? 0;
    },
    get expectedWaitMs() {
      return figures.expectedWaitMs?.() ?? 0;
    },
    get newcomerWaitMs() {
      return figures.newcomerWaitMs?.() ?? Number.POSITIVE_INFINITY;
    },
    get turnMs() {
      return figures.turnMs?.() ?? Number.POSITIVE_INFINITY;
    },
    dropWaiting: (rules) => figures.dropWaiting?.(rules),
  };
}

const known = (): boolean => true;
const anonymous = (): boolean => false;

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

  it('ends a request whose client does not read for those alone who lack nothing but a place', () => {
    let ended = 0;
    let waitedMs = 0;
    admission = new Admission(
      { maxRequests: 4, maxDelayMs: 100, targetDelayMs: 10, perCaller: 0.5 },
      { queue: queueWith({ longestWaitMs: () => waitedMs }), makeRoom: () => ((ended += 1), true) },
    );
    const [greedy, other] = [shareKeysOf({ address: '192.0.2.1' }), shareKeysOf({ address: '198.51.100.1' })];
    const entered = [greedy, greedy, undefined, undefined].map((keys) => admission?.enter(known, keys));
    expect(entered).toEqual([undefined, undefined, undefined, undefined]);
    expect([admission.enter(known, greedy), ended]).toEqual(['requests', 0]);
    waitedMs = 101;
    expect([admission.enter(known), ended]).toEqual(['requests', 0]);
    waitedMs = 0;
    expect([admission.enter(known, other), ended]).toEqual([undefined, 1]);
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

  it('is closed while those inside wait long for one another, but never when it is empty', () => {
    let waitedMs = 50;
    admission = new Admission(
      { maxRequests: 1_000, maxDelayMs: 100, targetDelayMs: 10 },
      { queue: queueWith({ longestWaitMs: () => waitedMs }) },
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
    const dropped: DropRules[] = [];
    admission = new Admission(
      { maxRequests: 1_000, maxDelayMs: 1_000, targetDelayMs: 10 },
      {
        now: () => now,
        queue: queueWith({
          expectedWaitMs: () => expectedMs,
          dropWaiting: (rules) => dropped.push(rules),
        }),
      },
    );
    while (admission.enter(known) === undefined) now += 10;
    expect(now).toBeGreaterThan(1_150); // until then it may be a burst
    expect(dropped).toEqual([{ longerThanMs: 10, soonMs: 250 }]);
    expectedMs = 9;
    expect(admission.enter(anonymous)).toBe('delay');
    expect(admission.enter(known)).toBeUndefined();
    expectedMs = 0;
    expect(admission.enter(anonymous)).toBeUndefined();
  });

  it('keeps some places for callers who are known', () => {
    admission = new Admission({ maxRequests: 10, maxDelayMs: 100, targetDelayMs: 10 });
    const outcomes = Array.from({ length: 10 }, () => admission?.enter(anonymous));
    expect(outcomes.filter((reason) => reason === undefined)).toHaveLength(9);
    expect([admission.enter(known), admission.enter(known)]).toEqual([undefined, 'requests']);
  });

  it('G9: is closed to one address, and the network around it, before all places are taken', () => {
    admission = new Admission({ maxRequests: 100, maxDelayMs: 100, targetDelayMs: 10, perCaller: 0.75 });
    const letIn = (address: string): number => {
      let count = 0;
      while (admission?.enter(known, shareKeysOf({ address })) === undefined) count += 1;
      return count;
    };
    expect(letIn('192.0.2.1')).toBe(75);
    expect(admission.enter(anonymous, shareKeysOf({ address: '192.0.2.1' }))).toBe('share');
    expect(letIn('192.0.2.2')).toBeLessThan(8);
    expect(admission.enter(anonymous, shareKeysOf({ address: '198.51.100.1' }))).toBeUndefined();
    for (let request = 0; request < 75; request += 1) admission.leave(shareKeysOf({ address: '192.0.2.1' }));
    expect(letIn('192.0.2.1')).toBeGreaterThan(60);
  });

  it('G9: is closed to those who ask for more than a fair share, and to no one else, while requests wait', () => {
    let now = 1_000;
    admission = new Admission(
      { maxRequests: 10_000, maxDelayMs: 1_000, targetDelayMs: 10 },
      { now: () => now, queue: queueWith({ longestWaitMs: () => 300 }) },
    );
    const flood = shareKeysOf({ address: '192.0.2.1' });
    const others = ['198.51.100.1', '203.0.113.1'].map((address) => shareKeysOf({ address }));
    const rejected: string[] = [];
    for (let request = 0; request < 2_000; request += 1) {
      now += 1;
      const reason = admission.enter(anonymous, flood);
      if (reason !== undefined) rejected.push(`flood: ${reason}`);
      if (request % 50 === 0 && admission.enter(anonymous, others[request % 100 === 0 ? 0 : 1]) !== undefined)
        rejected.push('another');
    }
    expect(new Set(rejected)).toEqual(new Set(['flood: share']));
    expect(rejected.length).toBeGreaterThan(900);
  });

  it('G9: lets those in who have little in flight and would be served soon, while those inside wait long', () => {
    let [newcomerMs, turnMs] = [0, 0];
    admission = new Admission(
      { maxRequests: 10_000, maxDelayMs: 1_000, targetDelayMs: 10 },
      {
        queue: queueWith({
          longestWaitMs: () => 1_500,
          newcomerWaitMs: () => newcomerMs,
          turnMs: () => turnMs,
        }),
      },
    );
    const enterAll = (address: string): number => {
      const keys = shareKeysOf({ address });
      for (let entered = 0; entered < 100; entered += 1)
        if (admission?.enter(anonymous, keys) !== undefined) return entered;
      return 100;
    };
    expect(enterAll('192.0.2.1')).toBe(6); // as many as a page asks for at a time
    expect(admission.enter(anonymous)).toBe('delay');
    expect(enterAll('198.51.100.1')).toBe(6);
    [newcomerMs, turnMs] = [50, 100];
    expect(enterAll('203.0.113.1')).toBe(3);
    newcomerMs = 251;
    expect(enterAll('203.0.114.1')).toBe(0);
  });

  it('G9: is closed to no caller who is alone, however much it asks for', () => {
    let now = 1_000;
    admission = new Admission(
      { maxRequests: 10_000, maxDelayMs: 1_000, targetDelayMs: 10 },
      { now: () => now, queue: queueWith({ longestWaitMs: () => 300 }) },
    );
    const alone = shareKeysOf({ address: '127.0.0.1' });
    for (let request = 0; request < 5_000; request += 1) {
      now += 1;
      expect(admission.enter(anonymous, alone)).toBeUndefined();
    }
  });
});

/** What a long computation does to the event loop. */
function block(durationMs: number): void {
  const until = performance.now() + durationMs;
  while (performance.now() < until);
}
