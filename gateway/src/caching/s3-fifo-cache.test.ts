import { shareKeysOf, type ShareKeys } from '@trellis/runtime/admission';
import { describe, expect, it } from 'vitest';
import { S3FifoCache } from './s3-fifo-cache.ts';

const value = (name: string): { readonly name: string } => ({ name });
const weightOf = ({ weight }: { readonly weight: number }): number => weight;

describe('An S3-FIFO cache', () => {
  it('S-034 keeps what is in use through a flood of keys that are used once', () => {
    const cache = new S3FifoCache({ maxEntries: 100 });
    const hot = Array.from({ length: 50 }, (_, index) => `hot ${index}`);
    for (const key of hot) cache.set(key, value(key));
    for (const key of hot) expect(cache.get(key)).toEqual(value(key));
    for (let index = 0; index < 100_000; index += 1) cache.set(`once ${index}`, value('once'));
    expect(hot.filter((key) => cache.get(key))).toEqual(hot);
    expect(cache.size).toBe(100);
  });

  it('lets a new population in: after 1,500 that were used again and again, 1,000 others in two rounds', () => {
    const cache = new S3FifoCache({ maxEntries: 1_500 });
    const use = (key: string): boolean => {
      const isHit = cache.get(key) !== undefined;
      if (!isHit) cache.set(key, value(key));
      return isHit;
    };
    const population = (name: string, count: number): readonly string[] =>
      Array.from({ length: count }, (_, index) => `${name} ${index}`);
    for (let round = 0; round < 20; round += 1) population('old', 1_500).forEach(use);
    for (let round = 0; round < 2; round += 1) population('new', 1_000).forEach(use);
    expect(population('new', 1_000).filter((key) => !use(key))).toEqual([]);
  });

  it('lets in what comes again, though it had to leave before it did', () => {
    const cache = new S3FifoCache({ maxEntries: 100 });
    const used = Array.from({ length: 100 }, (_, index) => `used ${index}`);
    for (const key of used) cache.set(key, value(key));
    for (const key of used) cache.get(key);
    cache.set('comes again', value('comes again'));
    for (let index = 0; index < 50; index += 1) cache.set(`once ${index}`, value('once'));
    expect(cache.get('comes again')).toBeUndefined();
    cache.set('comes again', value('comes again'));
    for (let index = 50; index < 100; index += 1) cache.set(`once ${index}`, value('once'));
    expect(cache.get('comes again')).toBeDefined();
  });

  it('G11: leaves half of its room to others when one caller floods it, however often each value is sent', () => {
    const cache = new S3FifoCache({ maxEntries: 100 });
    const owner = (name: string): ShareKeys => shareKeysOf({ address: name });
    const others = Array.from({ length: 40 }, (_, index) => `other ${index}`);
    others.forEach((key, index) => cache.set(key, value(key), owner(`203.0.${index}.1`)));
    for (let index = 0; index < 10_000; index += 1) {
      const key = `flood ${index}`;
      cache.set(key, value(key), owner(`2001:db8:0:${(index % 1_000).toString(16)}::1`));
      for (let use = 0; use < 3; use += 1) cache.get(key);
    }
    expect(others.filter((key) => cache.get(key) === undefined).length).toBeLessThanOrEqual(16); // three quarters are for the /48
    expect(cache.size).toBe(100);
  });

  it('G11: keeps what is in use where a caller brings a value as heavy as most of the room, once or again', () => {
    const cache = new S3FifoCache({ maxEntries: 1_000, maxWeight: 1_000, weigh: weightOf });
    const used = Array.from({ length: 500 }, (_, index) => `used ${index}`);
    for (const key of used) cache.set(key, { weight: 1 });
    for (const key of used) cache.get(key);
    for (let time = 0; time < 2; time += 1)
      cache.set('heavy', { weight: 800 }, shareKeysOf({ address: '203.0.113.1' }));
    expect(used.filter((key) => cache.get(key) === undefined)).toEqual([]);
    expect(cache.get('heavy')).toBeUndefined();
  });

  it('gives all its room to one caller as long as there is no other', () => {
    const cache = new S3FifoCache({ maxEntries: 100 });
    const keys = Array.from({ length: 100 }, (_, index) => `key ${index}`);
    for (const key of keys) cache.set(key, value(key), ['user:ada']);
    expect(keys.filter((key) => cache.get(key) === undefined)).toEqual([]);
    for (let index = 0; index < 60; index += 1) cache.set(`bob ${index}`, value('bob'), ['user:bob']);
    expect(keys.filter((key) => cache.get(key)).length).toBeGreaterThanOrEqual(40);
    expect(cache.size).toBe(100);
  });

  it('has all its room for what goes round in a circle, as long as nothing else needs it', () => {
    const cache = new S3FifoCache({ maxEntries: 100 });
    const keys = Array.from({ length: 100 }, (_, index) => `key ${index}`);
    for (const key of keys) cache.set(key, value(key));
    for (let round = 0; round < 3; round += 1) {
      expect(keys.filter((key) => cache.get(key) === undefined)).toEqual([]);
    }
  });

  it('gives up what was proven once and is not used any more', () => {
    const cache = new S3FifoCache({ maxEntries: 10 });
    const use = (key: string): void => {
      cache.set(key, value(key));
      cache.get(key);
    };
    use('old');
    for (let index = 0; index < 20; index += 1) use(`new ${index}`);
    expect(cache.get('old')).toBeUndefined();
  });

  it('is bounded by what its values weigh', () => {
    const cache = new S3FifoCache<{ readonly weight: number }>({
      maxEntries: 1_000,
      maxWeight: 100,
      weigh: ({ weight }) => weight,
    });
    for (let index = 0; index < 100; index += 1) cache.set(`value ${index}`, { weight: 10 });
    expect(cache.size).toBe(10);
    cache.set('giant', { weight: 101 });
    expect(cache.get('giant')).toBeUndefined();
  });

  describe('with a bound on what is new', () => {
    const cacheOf = (): S3FifoCache<{ readonly weight: number }> =>
      new S3FifoCache({
        maxEntries: 1_500,
        maxWeight: 1_000,
        maxNewWeight: 100,
        weigh: ({ weight }) => weight,
      });
    const population = (name: string, count: number): readonly string[] =>
      Array.from({ length: count }, (_, index) => `${name} ${index}`);

    it('keeps little of what is asked for once, however much room there is', () => {
      const cache = cacheOf();
      for (const key of population('once', 500)) cache.set(key, { weight: 10 });
      expect(cache.size).toBe(10);
    });

    it('keeps the newest one that is heavier than the bound', () => {
      const cache = cacheOf();
      for (const key of population('once', 3)) cache.set(key, { weight: 150 });
      expect(cache.size).toBe(1);
      expect(cache.get('once 2')).toBeDefined();
    });

    it('has all its room for what comes a second time', () => {
      const cache = cacheOf();
      for (const _round of [1, 2])
        for (const key of population('twice', 100)) if (!cache.get(key)) cache.set(key, { weight: 10 });
      expect(population('twice', 100).filter((key) => !cache.get(key))).toEqual([]);
    });

    it('lets a new population in: after 1,500 that were used again and again, 1,000 others in two rounds', () => {
      const cache = new S3FifoCache<{ readonly weight: number }>({
        maxEntries: 1_500,
        maxWeight: 15_000,
        maxNewWeight: 2_000,
        weigh: ({ weight }) => weight,
      });
      const use = (key: string): boolean => {
        const isHit = cache.get(key) !== undefined;
        if (!isHit) cache.set(key, { weight: 10 });
        return isHit;
      };
      for (let round = 0; round < 20; round += 1) population('old', 1_500).forEach(use);
      for (let round = 0; round < 2; round += 1) population('new', 1_000).forEach(use);
      expect(population('new', 1_000).filter((key) => !use(key))).toEqual([]);
    });

    it('keeps all that is known to be asked for again', () => {
      const cache = cacheOf();
      for (const key of population('known', 50)) cache.setProven(key, { weight: 10 });
      for (const key of population('once', 500)) cache.set(key, { weight: 10 });
      expect(population('known', 50).filter((key) => !cache.get(key))).toEqual([]);
    });
  });

  it('replaces a value', () => {
    const cache = new S3FifoCache({ maxEntries: 10 });
    cache.set('key', value('one'));
    cache.get('key');
    cache.set('key', value('two'));
    expect(cache.get('key')).toEqual(value('two'));
    expect(cache.size).toBe(1);
  });

  it.each([10, 100, 1_000])(
    'keeps what is always used beside what is used for a time: of %d',
    (maxEntries) => {
      const cache = new S3FifoCache({ maxEntries });
      const hot = Array.from({ length: maxEntries / 5 }, (_, index) => `hot ${index}`);
      for (const key of hot) cache.set(key, value(key));
      for (let index = 0; index < maxEntries * 10; index += 1) {
        const key = hot[index % hot.length] ?? '';
        expect(cache.get(key)).toEqual(value(key));
        cache.set(`for a time ${index}`, value('for a time'));
        cache.get(`for a time ${index}`);
      }
    },
  );

  it('keeps what is always used where heavy values leave little room', () => {
    const cache = new S3FifoCache<{ readonly weight: number }>({
      maxEntries: 10_000,
      maxWeight: 100,
      weigh: ({ weight }) => weight,
    });
    cache.set('hot', { weight: 10 });
    for (let index = 0; index < 1_000; index += 1) {
      expect(cache.get('hot')).toBeDefined();
      cache.set(`for a time ${index}`, { weight: 10 });
      cache.get(`for a time ${index}`);
    }
  });

  it('has the values first that were used again', () => {
    const cache = new S3FifoCache({ maxEntries: 10 });
    for (const name of ['a', 'b', 'c', 'd']) cache.set(name, value(name));
    for (const name of ['a', 'c']) cache.get(name);
    expect(cache.values()).toEqual(['c', 'a', 'd', 'b'].map(value));
  });

  it('is within its bounds whatever happens, and has nothing that was replaced', () => {
    const cache = new S3FifoCache<{ readonly weight: number }>({
      maxEntries: 20,
      maxWeight: 100,
      weigh: ({ weight }) => weight,
    });
    const random = randomNumbers(7);
    for (let step = 0; step < 5_000; step += 1) {
      const key = `key ${Math.floor(random() ** 2 * 60)}`;
      if (random() < 0.5) cache.get(key);
      else {
        const given = { weight: 1 + Math.floor(random() ** 3 * 110) };
        cache.set(key, given, random() < 0.8 ? [`user:${Math.floor(random() * 3)}`] : undefined);
        expect([given, undefined]).toContain(cache.get(key));
      }
      expect(cache.size).toBeLessThanOrEqual(20);
      expect(cache.values().reduce((sum, { weight }) => sum + weight, 0)).toBeLessThanOrEqual(100);
    }
    expect(cache.values()).toHaveLength(cache.size);
  });
});

/** From 0 up to 1, the same for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
