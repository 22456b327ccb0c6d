import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { whenAborted, DeadlineSignal, timeLeftMs, Watchers } from './deadline-signal.ts';

const reason = new Error('The client has left.');

describe('the signal of a request', () => {
  it('notifies watchers and listeners once, with the first reason', () => {
    const signal = new DeadlineSignal();
    const [watcher, listener] = [vi.fn<() => void>(), vi.fn<() => void>()];
    whenAborted(signal, watcher);
    signal.addEventListener('abort', listener);
    signal.onabort = listener;
    signal.abort(reason);
    signal.abort(new Error('another'));
    expect([watcher, listener].map(({ mock }) => mock.calls.length)).toEqual([1, 2]);
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toBe(reason);
    expect(() => signal.throwIfAborted()).toThrow(reason);
  });

  it('does not notify those who have stopped watching', () => {
    const signal = new DeadlineSignal();
    const watcher = vi.fn<() => void>();
    whenAborted(signal, watcher)();
    signal.abort(reason);
    expect(watcher).not.toHaveBeenCalled();
  });

  it('ends what Node itself waits for', async () => {
    const signal = new DeadlineSignal();
    const waiting = sleep(60_000, undefined, { signal });
    const listening = once(new EventTarget(), 'never', { signal });
    signal.abort(reason);
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError', cause: reason });
    await expect(listening).rejects.toMatchObject({ name: 'AbortError', cause: reason });
  });

  it('knows how much time is left, until it no longer counts', () => {
    const signal = new DeadlineSignal(1_000);
    expect(timeLeftMs(signal)).toBeGreaterThan(0);
    expect(timeLeftMs(signal)).toBeLessThanOrEqual(1_000);
    signal.clearDeadline();
    expect(timeLeftMs(signal)).toBe(Number.POSITIVE_INFINITY);
    expect(timeLeftMs(new AbortController().signal)).toBe(Number.POSITIVE_INFINITY);
  });
});

function watching(count: number): {
  readonly watchers: Watchers;
  readonly called: number[];
  readonly stops: readonly (() => void)[];
} {
  const watchers = new Watchers();
  const called: number[] = [];
  const stops = Array.from({ length: count }, (_, number) => watchers.add(() => void called.push(number)));
  return { watchers, called, stops };
}

describe('Those who watch', () => {
  it('are called but for those who have left, in whatever order they left', () => {
    for (const leaving of [[0], [4], [2, 0], [0, 4, 1], [4, 3, 2, 1, 0], [1, 1, 3]]) {
      const { watchers, called, stops } = watching(5);
      for (const number of leaving) stops[number]?.();
      watchers.callAll();
      expect(new Set(called)).toEqual(new Set([0, 1, 2, 3, 4].filter((number) => !leaving.includes(number))));
      expect(called).toHaveLength(5 - new Set(leaving).size);
    }
  });

  it('are not called when another one takes them out meanwhile, and those who come then wait for the next call', () => {
    const watchers = new Watchers();
    const called: string[] = [];
    watchers.add(() => {
      called.push('first');
      stopSecond();
      watchers.add(() => void called.push('late'));
    });
    const stopSecond = watchers.add(() => void called.push('second'));
    watchers.callAll();
    expect(called).toEqual(['first']);
    watchers.callAll();
    expect(called).toEqual(['first', 'first', 'late']);
  });

  it('leave once: who takes their place stays', () => {
    const { watchers, called, stops } = watching(2);
    stops[0]?.();
    stops[0]?.();
    watchers.callAll();
    expect(called).toEqual([1]);
  });
});
