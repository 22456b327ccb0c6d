import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createRandom } from '@trellis/demo-data';
import { describe, expect, it } from 'vitest';
import { amountsOf, DEFAULT_SHARES, ShareLimit } from './share-limit.ts';
import { shareKeysOf, type ShareKeys } from './share-keys.ts';

const keysOf = (address: string): ShareKeys => shareKeysOf({ address });

describe('A limit with shares', () => {
  it('gives one caller its share, a network its own, and the rest to others', () => {
    const limit = new ShareLimit({ total: 8, perKey: amountsOf(8, DEFAULT_SHARES.ofTotal) });
    const taken = (address: string): number => {
      let count = 0;
      while (limit.tryAcquire(keysOf(address)) === undefined) count += 1;
      return count;
    };
    expect(taken('2001:db8:0:1::1')).toBe(4);
    expect(taken('2001:db8:0:1::2')).toBe(0); // of the same /64
    expect(taken('2001:db8:0:2::1')).toBe(1); // of the same /56
    expect(taken('2001:db8:0:102::1')).toBe(1); // of the same /48
    expect(taken('2001:db8:0:202::1')).toBe(0);
    expect(taken('198.51.100.7')).toBe(2);
    expect(limit.tryAcquire(keysOf('203.0.113.1'))).toBe('total');
  });

  it('says whether the share or all is used up, and takes nothing then', () => {
    const limit = new ShareLimit({ total: 10, perKey: [6] });
    expect(limit.tryAcquire(['a'], 7)).toBe('share');
    expect(limit.held).toBe(0);
    expect(limit.tryAcquire(['a'], 6)).toBeUndefined();
    expect(limit.tryAcquire(['b'], 5)).toBe('total');
    limit.acquire(['b'], 5);
    expect(limit.held).toBe(11);
    limit.release(['b'], 2);
    expect(limit.heldBy('b')).toBe(3);
  });

  it('never holds more than its bounds, and nothing when all is given back', () => {
    const random = createRandom(1);
    const limit = new ShareLimit({ total: 100, perKey: [20, 30, 50] });
    const held: { readonly keys: ShareKeys; readonly amount: number }[] = [];
    const sumOf = (key: string): number =>
      held.reduce((sum, { keys, amount }) => (keys.includes(key) ? sum + amount : sum), 0);
    for (let round = 0; round < 1_500; round += 1) {
      const keys = keysOf(`2001:db8:${random.below(3)}:${random.below(600).toString(16)}::1`);
      const amount = 1 + random.below(10);
      if (random.chance(0.55)) {
        if (limit.tryAcquire(keys, amount) === undefined) held.push({ keys, amount });
      } else {
        const [given] = held.splice(random.below(held.length), 1);
        if (given) limit.release(given.keys, given.amount);
      }
      keys.forEach((key, level) => {
        expect(limit.heldBy(key)).toBe(sumOf(key));
        expect(limit.heldBy(key)).toBeLessThanOrEqual([20, 30, 50][level] ?? 0);
      });
      expect(limit.held).toBeLessThanOrEqual(100);
    }
    for (const { keys, amount } of held) limit.release(keys, amount);
    expect(limit.held).toBe(0);
  });

  it('counts alike for those whose keys are the same list each time, and for those whose list is a copy', () => {
    const random = createRandom(2);
    const callers = Array.from({ length: 12 }, (_, index) => keysOf(`2001:db8:${index % 2}:${index % 5}::1`));
    const bounds = { total: 60, perKey: [10, 20, 40] as const, leavesRoom: true };
    const [remembering, forgetful] = [new ShareLimit(bounds), new ShareLimit(bounds)];
    const held: { readonly keys: ShareKeys; readonly amount: number }[] = [];
    for (let round = 0; round < 3_000; round += 1) {
      const keys = random.pick(random.chance(0.5) ? callers.slice(0, 2) : callers);
      const copy = (of: ShareKeys): ShareKeys => [...of];
      const amount = random.below(4);
      if (random.chance(0.6)) {
        const rejection = remembering.rejectionOf(keys, amount);
        expect(rejection).toBe(forgetful.rejectionOf(copy(keys), amount));
        if (rejection !== undefined && random.chance(0.9)) continue;
        remembering.acquire(keys, amount);
        forgetful.acquire(copy(keys), amount);
        held.push({ keys, amount });
      } else {
        const [given] = held.splice(random.below(held.length), 1);
        if (!given) continue;
        remembering.release(given.keys, given.amount);
        forgetful.release(copy(given.keys), given.amount);
      }
      expect(remembering.held).toBe(forgetful.held);
      for (const key of callers.flat()) expect(remembering.heldBy(key)).toBe(forgetful.heldBy(key));
    }
  });

  it.each([2, 3, 10, 50])('leaves room for the next, however many take all they can: %i', (hogs) => {
    const limit = new ShareLimit({ total: 256, perKey: amountsOf(256, [3 / 4]), leavesRoom: true });
    const hold = (key: string): boolean => limit.tryAcquire([key]) === undefined;
    const names = Array.from({ length: hogs }, (_, index) => `hog ${index}`);
    for (let round = 0; round < 256; round += 1) for (const name of names) hold(name);
    const [least = 0, ...others] = names.map((name) => limit.heldBy(name)).toSorted((a, b) => a - b);
    expect((others.at(-1) ?? 0) - least).toBeLessThanOrEqual(1);
    expect(limit.held).toBeLessThan(256);
    expect(hold('another caller')).toBe(true);
  });

  it('that leaves room gives one alone its share, and who holds nothing the last place', () => {
    const limit = new ShareLimit({ total: 4, perKey: [3], leavesRoom: true });
    const taken = ['a', 'a', 'a', 'a', 'b', 'c'].map((key) => limit.tryAcquire([key]));
    expect(taken).toEqual([undefined, undefined, undefined, 'share', undefined, 'total']);
  });

  it('keeps what is held when its bounds change', () => {
    const limit = new ShareLimit({ total: 4, perKey: [4] });
    limit.acquire(['a'], 4);
    limit.resize({ total: 6, perKey: [5] });
    expect([limit.tryAcquire(['a']), limit.tryAcquire(['a']), limit.held, limit.total]).toEqual([
      undefined,
      'share',
      5,
      6,
    ]);
  });

  it('allocates nothing in the old generation for callers who come and go', () => {
    const limit = new ShareLimit({ total: 100, perKey: [100] });
    const comeAndGo = (times: number): void => {
      for (let index = 0; index < times; index += 1) {
        const keys = [`caller ${index % 50}`, 'network'];
        limit.acquire(keys);
        limit.release(keys);
      }
    };
    comeAndGo(1_000);
    collectGarbage(); // twice: what survives both is old
    collectGarbage();
    const before = oldSpaceBytes();
    comeAndGo(20_000);
    expect(oldSpaceBytes() - before).toBeLessThan(1_000_000); // 6 MB where each that goes is deleted from the map
  });

  it('forgets who holds nothing, with many others at once', () => {
    const limit = new ShareLimit({ total: 10, perKey: [10] });
    limit.acquire(['stays'], 3);
    for (let index = 0; index < 10_000; index += 1) {
      const keys = [`caller ${index}`];
      limit.acquire(keys);
      limit.release(keys);
    }
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let index = 0; index < 100_000; index += 1) {
      const keys = [`another caller ${index}`];
      limit.acquire(keys);
      limit.release(keys);
    }
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(2_000_000); // 10 MB where they all stay
    expect(limit.heldBy('stays')).toBe(3);
    expect(limit.held).toBe(3);
  });
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function oldSpaceBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0;
}
