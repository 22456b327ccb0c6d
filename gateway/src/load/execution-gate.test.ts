import { shareKeysOf, type QueueCaller } from '@trellis/runtime/admission';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ExecutionGate } from './execution-gate.ts';
import { eventLane } from './waiting-line.ts';

interface Held {
  readonly begun: number;
  end(): void;
}

/** Begins operations that end on request. */
function hold(gate: ExecutionGate, count: number, caller?: QueueCaller): Held {
  const ends: (() => void)[] = [];
  for (let index = 0; index < count; index += 1) {
    const operation = (): Promise<void> => new Promise((resolve) => void ends.push(resolve));
    gate.run(operation, new AbortController().signal, caller).catch(() => undefined);
  }
  return {
    get begun() {
      return ends.length;
    },
    end: () => ends.splice(0).forEach((end) => end()),
  };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2)); // the test's own time limit ends it
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const FAKED = ['setTimeout', 'clearTimeout', 'performance'] as const;
/** The one that is faked. */
const now = (): number => performance.now();

afterEach(() => void vi.useRealTimers());

const of = (address: string): QueueCaller => ({ keys: shareKeysOf({ address }), isKnown: false });

describe('The gate before execution', () => {
  it('lets no more operations begin than keep a busy process busy, and the others in order', async () => {
    const gate = new ExecutionGate({ minimum: 2, readUtilization: () => 1 });
    const order: number[] = [];
    const signal = new AbortController().signal;
    const first = hold(gate, 2);
    const others = [1, 2, 3].map((number) =>
      gate.run(async () => {
        order.push(number);
      }, signal),
    );
    expect(first.begun).toBe(2);
    expect(gate.waiting).toBe(3);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(order).toEqual([]);
    first.end();
    await Promise.all(others);
    expect(order).toEqual([1, 2, 3]);
  });

  it.each([
    { hogs: 1, ahead: 4 },
    { hogs: 2, ahead: 3 },
    { hogs: 4, ahead: 1 },
  ])(
    'G9: lets $ahead others go ahead where $hogs have all places of a busy process, one operation each',
    async ({ hogs, ahead }) => {
      const gate = new ExecutionGate({ minimum: 4, spanMs: 0, readUtilization: () => 1 });
      const held = Array.from({ length: hogs }, (_, index) => hold(gate, 100, of(`192.0.${index}.1`)));
      const others = Array.from({ length: 20 }, (_, index) => hold(gate, 2, of(`203.0.${index}.1`)));
      await nextTurn();
      expect(others.map(({ begun }) => begun)).toEqual(others.map((_, index) => Number(index < ahead)));
      for (const each of [...held, ...others]) each.end();
    },
  );

  it('G9: lets those go ahead by turns: who has had one waits for the others', async () => {
    const gate = new ExecutionGate({ minimum: 1, spanMs: 0, readUtilization: () => 1 });
    const hog = hold(gate, 100, of('192.0.2.1'));
    const [first, second] = [hold(gate, 2, of('198.51.100.1')), hold(gate, 2, of('203.0.113.1'))];
    const begun: number[][] = [];
    for (const each of [first, second, first, second]) {
      await nextTurn();
      begun.push([first.begun, second.begun]);
      each.end();
    }
    await nextTurn();
    expect(begun).toEqual([
      [1, 0],
      [0, 1],
      [1, 0],
      [0, 1],
    ]);
    expect([hog.begun, gate.waiting]).toEqual([1, 99]);
    hog.end();
  });

  it('G9: lets the next operation of those others follow when the one before has ended', async () => {
    const gate = new ExecutionGate({ minimum: 4, spanMs: 0, readUtilization: () => 1 });
    const hog = hold(gate, 100, of('192.0.2.1'));
    const other = hold(gate, 3, of('198.51.100.1'));
    for (let rounds = 0; rounds < 3; rounds += 1) {
      await nextTurn();
      expect(other.begun).toBe(1);
      other.end();
    }
    await nextTurn();
    expect([other.begun, hog.begun, gate.waiting]).toEqual([0, 4, 96]);
    hog.end();
  });

  it('G9: leaves a caller who has all places these, however many others come', async () => {
    const gate = new ExecutionGate({ minimum: 4, spanMs: 0, readUtilization: () => 1 });
    const hog = hold(gate, 100, of('192.0.2.1'));
    let ended = 0;
    for (let round = 0; round < 20; round += 1) {
      const others = Array.from({ length: 4 }, (_, index) => hold(gate, 1, of(`203.${round}.${index}.1`)));
      await nextTurn();
      expect([hog.begun, ...others.map(({ begun }) => begun)]).toEqual([4, 1, 1, 1, 1]);
      ended += hog.begun;
      hog.end();
      for (const other of others) other.end();
      await nextTurn();
    }
    expect(100 - gate.waiting - hog.begun).toBe(ended);
    hog.end();
  });

  it('G9: has room beyond the limit again when what was there waits for a subgraph', async () => {
    vi.useFakeTimers({ toFake: [...FAKED] });
    let busy = 1;
    const gate = new ExecutionGate({ now, minimum: 2, spanMs: 0, readUtilization: () => busy });
    const hog = hold(gate, 100, of('192.0.2.1'));
    const begin = (address: string): Held => hold(gate, 1, of(address));
    const slow = [begin('198.51.100.1'), begin('203.0.113.1')];
    await vi.advanceTimersByTimeAsync(0);
    expect(slow.map(({ begun }) => begun)).toEqual([1, 1]);
    busy = 0.1;
    await vi.advanceTimersByTimeAsync(300); // all have begun
    busy = 1;
    const again = hold(gate, 100, of('192.0.2.1'));
    const others = [begin('198.51.101.1'), begin('203.0.115.1')];
    await vi.advanceTimersByTimeAsync(0);
    expect(others.map(({ begun }) => begun)).toEqual([1, 1]);
    for (const held of [hog, again, ...slow, ...others]) held.end();
  });

  it('G9: leaves that room to callers of whom no operation waits for a subgraph either', async () => {
    vi.useFakeTimers({ toFake: [...FAKED] });
    let busy = 0.1;
    const gate = new ExecutionGate({ now, minimum: 2, spanMs: 0, readUtilization: () => busy });
    const slow = hold(gate, 2, of('192.0.2.1'));
    await vi.advanceTimersByTimeAsync(300); // these are set aside
    busy = 1;
    const hog = hold(gate, 100, of('203.0.113.1'));
    const again = hold(gate, 1, of('192.0.2.1'));
    const other = hold(gate, 1, of('198.51.100.1'));
    await vi.advanceTimersByTimeAsync(0);
    expect([slow.begun, hog.begun, again.begun, other.begun]).toEqual([2, 2, 0, 1]);
    slow.end();
    await vi.advanceTimersByTimeAsync(0);
    expect(again.begun).toBe(1);
    for (const held of [hog, again, other]) held.end();
  });

  it('G9: sets aside some of what lasts for 100 ms also in a busy process', async () => {
    vi.useFakeTimers({ toFake: [...FAKED] });
    const gate = new ExecutionGate({ now, minimum: 2, spanMs: 0, readUtilization: () => 1 });
    const slow = hold(gate, 200, of('192.0.2.1'));
    const begun: number[] = [];
    for (const ms of [99, 10, 105, 10_000]) {
      await vi.advanceTimersByTimeAsync(ms);
      begun.push(slow.begun);
    }
    expect(begun).toEqual([2, 4, 6, 130]); // it may be the process that is slow: no more than 128 beside the two
    slow.end();
  });

  it('G9: forgets what was set aside when it ends, well or not', async () => {
    vi.useFakeTimers({ toFake: [...FAKED] });
    const gate = new ExecutionGate({ now, minimum: 2, spanMs: 0, readUtilization: () => 1 });
    const fail: (() => void)[] = [];
    const failing = (): Promise<void> =>
      new Promise((_, reject) => void fail.push(() => reject(new Error('failed'))));
    for (const _ of [1, 2])
      gate.run(failing, new AbortController().signal, of('192.0.2.1')).catch(() => undefined);
    const hog = hold(gate, 100, of('203.0.113.1'));
    await vi.advanceTimersByTimeAsync(110); // these two are aside
    const again = hold(gate, 1, of('192.0.2.1'));
    await vi.advanceTimersByTimeAsync(0);
    expect(again.begun).toBe(0);
    for (const each of fail) each();
    const third = hold(gate, 1, of('192.0.2.1'));
    await vi.advanceTimersByTimeAsync(0);
    expect(again.begun + third.begun).toBe(1); // one beyond the limit
    for (const held of [hog, again, third]) held.end();
  });

  it('lets events go ahead though one of them is slow: they are of many callers', async () => {
    vi.useFakeTimers({ toFake: [...FAKED] });
    const gate = new ExecutionGate({ now, minimum: 1, spanMs: 0, readUtilization: () => 1 });
    const slow = hold(gate, 1, eventLane(of('192.0.2.1')));
    const hog = hold(gate, 100, of('203.0.113.1'));
    await vi.advanceTimersByTimeAsync(110); // it is set aside
    const event = hold(gate, 1, eventLane(of('198.51.100.1')));
    await vi.advanceTimersByTimeAsync(0);
    expect([slow.begun, event.begun]).toEqual([1, 1]);
    for (const held of [slow, hog, event]) held.end();
  });

  it('G9: begins few of those that wait in one turn of the event loop', async () => {
    let busy = 1;
    const gate = new ExecutionGate({ minimum: 2, readUtilization: () => busy });
    const held = hold(gate, 300);
    busy = 0.1;
    let mostInOneTurn = 0;
    for (let before = held.begun; held.begun < 300; before = held.begun) {
      await new Promise((resolve) => setImmediate(resolve));
      mostInOneTurn = Math.max(mostInOneTurn, held.begun - before);
    }
    expect(mostInOneTurn).toBeLessThanOrEqual(16);
    held.end();
  });

  it('lets all of them begin where the process waits for others most of the time', async () => {
    const gate = new ExecutionGate({ minimum: 2, readUtilization: () => 0.1 });
    const held = hold(gate, 100);
    await until(() => held.begun === 100);
    expect(gate.waiting).toBe(0);
    held.end();
  });

  it.each([
    { busy: 0.1, begun: 2 },
    { busy: 1, begun: 0 },
  ])(
    'F-03 makes no operation wait for those that wait for a slow subgraph, unless it is the process that is slow: $busy',
    async ({ busy, begun }) => {
      vi.useFakeTimers({ toFake: [...FAKED] });
      const gate = new ExecutionGate({ now, minimum: 2, readUtilization: () => busy });
      const slow = hold(gate, 2);
      await vi.advanceTimersByTimeAsync(20);
      const others = hold(gate, 2);
      expect(others.begun).toBe(begun);
      slow.end();
      await vi.advanceTimersByTimeAsync(0);
      others.end();
    },
  );

  it('F-03 makes no operation wait for long, however many more have arrived than were answered', async () => {
    vi.useFakeTimers({ toFake: [...FAKED] });
    const gate = new ExecutionGate({
      now,
      minimum: 2,
      readUtilization: () => 0.1,
      overload: { isSustained: true },
    });
    const slow = hold(gate, 100);
    await vi.advanceTimersByTimeAsync(50);
    expect(slow.begun).toBe(32);
    const other = hold(gate, 1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([slow.begun, other.begun]).toEqual([100, 1]);
    for (const held of [slow, other]) held.end();
  });

  it('counts those that have begun while the process waited for others', async () => {
    vi.useFakeTimers({ toFake: [...FAKED] });
    const gate = new ExecutionGate({ now, minimum: 2, readUtilization: () => 0.1 });
    const slow = hold(gate, 2);
    await vi.advanceTimersByTimeAsync(8); // one reading, and the next has begun
    const others = [hold(gate, 2), hold(gate, 1)];
    expect(others.map((held) => held.begun)).toEqual([2, 0]);
    for (const held of [slow, ...others]) held.end();
  });

  it('forgets an operation whose client has left, and lets the next one begin in its place', async () => {
    const gate = new ExecutionGate({ minimum: 1, readUtilization: () => 1 });
    const first = hold(gate, 1);
    const leaving = new AbortController();
    const left = gate.run(() => Promise.resolve('begun'), leaving.signal);
    const next = gate.run(() => Promise.resolve('begun'), new AbortController().signal);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    first.end();
    await expect(next).resolves.toBe('begun');
  });

  it('goes on after an operation that failed', async () => {
    const gate = new ExecutionGate({ minimum: 1, readUtilization: () => 1 });
    const { signal } = new AbortController();
    const failing = gate.run(() => Promise.reject(new Error('failed')), signal);
    const next = gate.run(() => Promise.resolve('begun'), signal);
    await expect(failing).rejects.toThrow('failed');
    await expect(next).resolves.toBe('begun');
  });

  it('gives up what has waited for too long, but the last few of each caller, and nothing that has begun', async () => {
    vi.useFakeTimers({ toFake: [...FAKED] });
    const gate = new ExecutionGate({ minimum: 1, readUtilization: () => 1, now: () => performance.now() });
    const first = hold(gate, 2, of('203.0.113.1'));
    const ahead = hold(gate, 1, of('203.0.114.1'));
    const outcomes: string[] = [];
    const wait = (address: string, count: number): void => {
      const caller = of(address);
      for (let number = 1; number <= count; number += 1)
        void gate
          .run(() => Promise.resolve('begun'), new AbortController().signal, caller)
          .catch(String)
          .then((outcome) => outcomes.push(`${address} ${number}: ${outcome}`));
    };
    wait('192.0.2.1', 8);
    wait('198.51.100.1', 5);
    await vi.advanceTimersByTimeAsync(60); // long enough to know that the process is busy
    gate.dropWaiting({ longerThanMs: 100, soonMs: 250 }, () => new Error('none has waited for so long'));
    expect(gate.waiting).toBe(14);
    gate.dropWaiting({ longerThanMs: 50, soonMs: 250 }, () => new Error('too long'));
    await vi.advanceTimersByTimeAsync(0);
    expect(outcomes).toEqual([1, 2, 3].map((number) => `192.0.2.1 ${number}: Error: too long`));
    for (const held of [first, ahead]) held.end();
    await vi.waitUntil(() => outcomes.length === 13);
    first.end();
    expect(outcomes.filter((outcome) => outcome.endsWith('begun'))).toHaveLength(10);
  });

  it('expects no one to wait once the process has time, though an overload was sustained', async () => {
    vi.useFakeTimers({ toFake: [...FAKED] });
    let utilization = 1;
    const gate = new ExecutionGate({
      now,
      minimum: 1,
      spanMs: 0,
      overload: { isSustained: true },
      readUtilization: () => utilization,
    });
    const work = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
    for (let count = 0; count < 40; count += 1) void gate.run(work, new AbortController().signal);
    await vi.advanceTimersByTimeAsync(50);
    expect(gate.expectedWaitMs).toBeGreaterThan(0);
    hold(gate, 500); // they wait for subgraphs
    utilization = 0;
    await vi.advanceTimersByTimeAsync(100);
    expect(gate.waiting).toBeGreaterThan(0);
    expect(gate.expectedWaitMs).toBe(0);
  });

  it('gives up nothing where the process only waits for others', async () => {
    const gate = new ExecutionGate({ minimum: 1, readUtilization: () => 0.1 });
    const first = hold(gate, 1);
    const second = hold(gate, 1);
    gate.dropWaiting({ longerThanMs: 0, soonMs: 250 }, () => new Error('too long'));
    expect([gate.waiting, gate.expectedWaitMs]).toEqual([1, 0]);
    await until(() => second.begun === 1);
    first.end();
    second.end();
  });

  it('estimates how long one more operation would wait', async () => {
    vi.useFakeTimers({ toFake: [...FAKED] });
    const gate = new ExecutionGate({
      minimum: 1,
      spanMs: 0,
      readUtilization: () => 1,
      now: () => performance.now(),
    });
    const { signal } = new AbortController();
    const work = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
    const all = Promise.all(Array.from({ length: 60 }, () => gate.run(work, signal)));
    expect(gate.expectedWaitMs).toBe(0); // nothing is known yet
    await vi.advanceTimersByTimeAsync(200);
    expect(gate.waiting).toBe(19);
    expect(gate.expectedWaitMs).toBeGreaterThan(80);
    expect(gate.expectedWaitMs).toBeLessThan(100);
    await vi.advanceTimersByTimeAsync(200);
    await all;
    expect(gate.expectedWaitMs).toBe(0);
  });

  it('estimates how long those would wait who have none in execution: not while they may go ahead', async () => {
    vi.useFakeTimers({ toFake: [...FAKED] });
    const gate = new ExecutionGate({
      minimum: 2,
      spanMs: 0,
      readUtilization: () => 1,
      now: () => performance.now(),
    });
    const work = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));
    const { signal } = new AbortController();
    for (let count = 0; count < 100; count += 1)
      void gate.run(work, signal, { keys: ['hog'], isKnown: false });
    await vi.advanceTimersByTimeAsync(100);
    expect(gate.newcomerWaitMs).toBe(0);
    expect(gate.turnMs).toBeGreaterThan(3);
    expect(gate.turnMs).toBeLessThan(12);
    const others = [hold(gate, 1, of('198.51.100.1')), hold(gate, 1, of('203.0.113.1'))];
    await vi.advanceTimersByTimeAsync(0);
    expect(gate.newcomerWaitMs).toBe(gate.turnMs);
    for (const other of others) other.end();
  });

  it('lets more of them begin where they are short, however busy the process is', async () => {
    vi.useFakeTimers({ toFake: [...FAKED] });
    const gate = new ExecutionGate({ minimum: 2, readUtilization: () => 1, now: () => performance.now() });
    const { signal } = new AbortController();
    let [freeAt, inside, most] = [0, 0, 0];
    const work = async (): Promise<void> => {
      most = Math.max(most, (inside += 1));
      freeAt = Math.max(freeAt, performance.now()) + 4;
      await new Promise((resolve) => setTimeout(resolve, freeAt - performance.now()));
      inside -= 1;
    };
    const all = Promise.all(Array.from({ length: 100 }, () => gate.run(work, signal)));
    await vi.advanceTimersByTimeAsync(1_000);
    await all;
    expect(most).toBeGreaterThan(2);
    expect(most).toBeLessThanOrEqual(8); // of 4 ms each, within some 20 ms: it is a mean
  });
});
