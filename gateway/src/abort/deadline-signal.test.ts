import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { whenAborted, DeadlineSignal, timeLeftMs } from './deadline-signal.ts';

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
