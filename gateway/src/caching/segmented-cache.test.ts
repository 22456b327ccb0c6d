import { describe, expect, it } from 'vitest';
import { SegmentedCache } from './segmented-cache.ts';

const value = (name: string): { readonly name: string } => ({ name });

describe('A segmented cache', () => {
  it('S-034 keeps what is in use through a flood of what nobody asks for twice', () => {
    const cache = new SegmentedCache({ maxEntries: 100 });
    const hot = Array.from({ length: 50 }, (_, index) => `hot ${index}`);
    for (const key of hot) cache.set(key, value(key));
    for (const key of hot) expect(cache.get(key)).toEqual(value(key));
    for (let index = 0; index < 100_000; index += 1) cache.set(`once ${index}`, value('once'));
    expect(hot.filter((key) => cache.get(key))).toEqual(hot);
    expect(cache.size).toBe(100);
  });

  it('has all its room for what goes round in a circle, as long as nothing else needs it', () => {
    const cache = new SegmentedCache({ maxEntries: 100 });
    const keys = Array.from({ length: 100 }, (_, index) => `key ${index}`);
    for (const key of keys) cache.set(key, value(key));
    for (let round = 0; round < 3; round += 1) {
      expect(keys.filter((key) => cache.get(key) === undefined)).toEqual([]);
    }
  });

  it('gives up what was proven once and is not used any more', () => {
    const cache = new SegmentedCache({ maxEntries: 10 });
    const use = (key: string): void => {
      cache.set(key, value(key));
      cache.get(key);
    };
    use('old');
    for (let index = 0; index < 8; index += 1) use(`new ${index}`);
    expect(cache.values().at(-1)).toEqual(value('old')); // back on probation
    for (let index = 8; index < 20; index += 1) use(`new ${index}`);
    expect(cache.get('old')).toBeUndefined();
  });

  it('is bounded by what its values weigh', () => {
    const cache = new SegmentedCache<{ readonly weight: number }>({
      maxEntries: 1_000,
      maxWeight: 100,
      weigh: ({ weight }) => weight,
    });
    for (let index = 0; index < 100; index += 1) cache.set(`value ${index}`, { weight: 10 });
    expect(cache.size).toBe(10);
    cache.set('giant', { weight: 101 });
    expect(cache.get('giant')).toBeUndefined();
  });

  it('takes a value anew', () => {
    const cache = new SegmentedCache({ maxEntries: 10 });
    cache.set('key', value('one'));
    cache.get('key');
    cache.set('key', value('two'));
    expect(cache.get('key')).toEqual(value('two'));
    expect(cache.size).toBe(1);
  });
});
