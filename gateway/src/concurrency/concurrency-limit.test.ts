import { shareKeysOf, type QueueCaller } from '@trellis/runtime/admission';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConcurrencyLimit, type Slot } from './concurrency-limit.ts';

const { signal } = new AbortController();
const rejection = (why: string): Error => new Error(why);
const network = (address: string): QueueCaller => ({ keys: shareKeysOf({ address }), isKnown: false });
const user = (name: string): QueueCaller => ({
  keys: shareKeysOf({ user: name, address: '' }),
  isKnown: true,
});
const HOG = network('192.0.2.1');

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Takes all that a caller gets at once. @returns how many those are */
function takeAll(limit: ConcurrencyLimit, caller: QueueCaller): number {
  let taken = 0;
  while (limit.tryAcquire(caller)) taken += 1;
  return taken;
}

describe('G9: the places at a subgraph', () => {
  it('are never all of one caller, and those of a network never all of its addresses', () => {
    const limit = new ConcurrencyLimit({ requests: 256, queue: 10, perCaller: 0.75 });
    expect(takeAll(limit, HOG)).toBe(192);
    expect(limit.tryAcquire(network('198.51.100.1'))).toBe(true);
    for (let host = 2; host < 255; host += 1) takeAll(limit, network(`192.0.2.${host}`));
    expect(limit.inFlight).toBeLessThanOrEqual(209);
  });

  it('are all free for one caller where the operator says so', () => {
    const limit = new ConcurrencyLimit({ requests: 4, queue: 10, perCaller: 1 });
    expect(takeAll(limit, HOG)).toBe(4);
  });

  it.each([2, 10, 30])('are left over for the next by %i callers who take all they can', (hogs) => {
    const limit = new ConcurrencyLimit({ requests: 256, queue: 10, perCaller: 0.75 });
    for (let round = 0; round < 256; round += 1)
      for (let hog = 0; hog < hogs; hog += 1) limit.tryAcquire(network(`192.0.${hog}.1`));
    expect(limit.tryAcquire(network('198.51.100.1'))).toBe(true);
  });

  it('go to others before a caller who waits with many gets the next', async () => {
    const limit = new ConcurrencyLimit({ requests: 4, queue: 100, perCaller: 0.75 });
    takeAll(limit, HOG);
    const order: string[] = [];
    const wait = async (name: string, caller: QueueCaller): Promise<Slot> => {
      const slot = await limit.acquire(caller, signal, 1_000, rejection);
      order.push(name);
      return slot;
    };
    const heavy = Array.from({ length: 10 }, () => wait('hog', HOG));
    expect(limit.tryAcquire(user('ada'))).toBe(true);
    const others = [wait('bob', user('bob')), wait('far', network('198.51.100.1'))];
    limit.release(HOG, 8_000);
    limit.release(HOG, 8_000);
    await Promise.all(others);
    expect(order.toSorted()).toEqual(['bob', 'far']);
    limit.release(HOG, 8_000);
    await heavy[0];
    expect([limit.inFlight, limit.waiting]).toEqual([4, 9]);
  });

  it('are waited for by a bounded part of each caller, whose newest makes room for others', async () => {
    const limit = new ConcurrencyLimit({ requests: 1, queue: 4, perCaller: 0.75 });
    expect(takeAll(limit, HOG)).toBe(1);
    const outcomeOf = (caller: QueueCaller): Promise<string> =>
      limit.acquire(caller, signal, 50, rejection).then(
        () => 'begun',
        (error: unknown) => String(error),
      );
    const heavy = Array.from({ length: 4 }, () => outcomeOf(HOG));
    const others = [outcomeOf(user('ada')), outcomeOf(user('bob'))];
    expect(await heavy[3]).toBe('Error: share');
    expect(await heavy[2]).toBe('Error: total');
    vi.advanceTimersByTime(60);
    expect(await Promise.all([heavy[0], heavy[1], ...others])).toEqual(
      Array.from({ length: 4 }, () => 'Error: timeout'),
    );
  });

  it('are given back whatever becomes of those who wait', async () => {
    const limit = new ConcurrencyLimit({ requests: 1, queue: 10, perCaller: 0.75 });
    limit.tryAcquire(HOG);
    const controller = new AbortController();
    const left = limit.acquire(HOG, controller.signal, 1_000, rejection);
    const late = limit.acquire(HOG, signal, 10, rejection);
    controller.abort(new Error('left'));
    vi.advanceTimersByTime(20);
    await expect(left).rejects.toThrow('left');
    await expect(late).rejects.toThrow('timeout');
    limit.release(HOG, 1);
    expect([limit.inFlight, limit.waiting]).toEqual([0, 0]);
  });
});
