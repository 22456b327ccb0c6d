import { createRandom } from '@trellis/demo-data';
import { beforeEach, describe, expect, it } from 'vitest';
import { shareKeysOf, type ShareKeys } from './share-keys.ts';
import { ShareBuckets } from './share-buckets.ts';

let nowMs: number;
const now = (): number => nowMs;
const keysOf = (address: string): ShareKeys => shareKeysOf({ address });

beforeEach(() => {
  nowMs = 1_000;
});

describe('Buckets', () => {
  it('give what they hold at once, then as it comes back', () => {
    const buckets = new ShareBuckets({ amounts: [3], windowMs: 1_000, now });
    const ada: ShareKeys = ['user:ada'];
    expect([1, 2, 3].map(() => buckets.take(ada))).toEqual([0, 0, 0]);
    expect(buckets.take(ada)).toBe(334);
    nowMs += 333;
    expect(buckets.take(ada)).toBe(1);
    nowMs += 1;
    expect(buckets.take(ada)).toBe(0);
    expect(buckets.take(['user:bob'])).toBe(0);
  });

  it('take amounts, and those that are known afterwards', () => {
    const buckets = new ShareBuckets({ amounts: [100], windowMs: 1_000, now });
    expect(buckets.take(['a'], 60)).toBe(0);
    expect(buckets.take(['a'], 60)).toBe(200);
    expect(buckets.waitMs(['a'], 40)).toBe(0);
    buckets.charge(['a'], 240);
    expect(buckets.waitMs(['a'], 0)).toBe(2_000);
    expect(buckets.take(['b'], 1_000)).toBe(0); // more than fits: when the bucket is full
    expect(buckets.take(['b'], 1)).toBe(9_010);
  });

  it('keep what was taken when the rate changes, whatever the windows', () => {
    const buckets = new ShareBuckets({ amounts: [100_000], windowMs: 100_000_000, now });
    expect(buckets.take(['a'], 50)).toBe(0);
    expect(buckets.take(['b'], 100_000)).toBe(0);
    buckets.rate = { amounts: [100], windowMs: 1_000 };
    expect(buckets.waitMs(['a'], 50)).toBe(0);
    expect(buckets.waitMs(['a'], 60)).toBe(100);
    expect(buckets.waitMs(['b'], 0)).toBe(999_000); // it has taken a thousand times what there is now
    buckets.rate = { amounts: [200], windowMs: 1_000 };
    expect(buckets.waitMs(['a'], 200)).toBe(250);
  });

  it('hold at each level: a /48 has the share of a /48, however many networks it has', () => {
    const buckets = new ShareBuckets({ amounts: [2, 4, 8], windowMs: 1_000, now });
    let taken = 0;
    for (let network = 0; network < 65_536; network += 97)
      if (buckets.take(keysOf(`2001:db8:0:${network.toString(16)}::1`)) === 0) taken += 1;
    expect(taken).toBe(8);
    expect(buckets.take(keysOf('2001:db8:1::1'))).toBe(0);
  });

  it('are bounded in number, and one that is nearly empty is not forgotten for others that come and go', () => {
    const buckets = new ShareBuckets({ amounts: [100], windowMs: 60_000, maxKeys: 50, now });
    for (let count = 0; count < 100; count += 1) buckets.take(['attacker']);
    for (let key = 0; key < 20_000; key += 1) {
      nowMs += 0.05;
      buckets.take([`cycled ${key}`]);
    }
    expect(buckets.size).toBe(50);
    let taken = 0;
    while (buckets.take(['attacker']) === 0) taken += 1;
    expect(taken).toBe(1); // what has come back in a second
  });

  it('never give more than what they hold and what comes back, at any level, with however little memory', () => {
    const random = createRandom(1);
    const amounts = [5, 10, 20] as const;
    const buckets = new ShareBuckets({ amounts, windowMs: 10_000, maxKeys: 100, now });
    const given = new Map<string, number>();
    const startedAtMs = nowMs;
    for (let round = 0; round < 20_000; round += 1) {
      nowMs += random.below(20);
      const keys = keysOf(`2001:db8:${random.below(20)}:${random.below(65_536).toString(16)}::1`);
      const amount = 1 + random.below(3);
      if (buckets.take(keys, amount) > 0) continue;
      const sites = keys.at(-1) ?? '';
      given.set(sites, (given.get(sites) ?? 0) + amount);
    }
    const most = 20 + (20 * (nowMs - startedAtMs)) / 10_000;
    for (const amount of given.values()) expect(amount).toBeLessThanOrEqual(most + 1);
    expect(buckets.size).toBeLessThanOrEqual(300);
  });

  it('that are full again are not remembered for long', () => {
    const buckets = new ShareBuckets({ amounts: [5], windowMs: 100, maxKeys: 1_000, now });
    for (let key = 0; key < 10_000; key += 1) {
      nowMs += 50;
      buckets.take([`one ${key}`]);
    }
    expect(buckets.size).toBeLessThanOrEqual(1_000);
  });
});
