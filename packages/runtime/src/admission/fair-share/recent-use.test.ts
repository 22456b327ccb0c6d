import { describe, expect, it } from 'vitest';
import { RecentUse } from './recent-use.ts';
import { shareKeysOf, type ShareKeys } from './share-keys.ts';

const network = (address: string): ShareKeys => shareKeysOf({ address });

/** @returns what was used in one window, seen from the next */
function useOf(counts: Readonly<Record<string, number>>, nowMs = 1_500): RecentUse {
  let now = 0;
  const use = new RecentUse({ now: () => now });
  for (const [address, count] of Object.entries(counts))
    for (let index = 0; index < count; index += 1) use.note(network(address));
  now = nowMs;
  return use;
}

describe('Who has had more than a fair share', () => {
  it('is who has most of it, not the others', () => {
    const use = useOf({ '192.0.2.1': 900, '198.51.100.1': 10, '203.0.113.1': 10 });
    expect(use.isHeavy(network('192.0.2.1'))).toBe(true);
    expect(use.isHeavy(network('198.51.100.1'))).toBe(false);
    expect(use.isHeavy(network('8.8.8.8'))).toBe(false);
  });

  it('is no caller where one is alone, and none where all have the same', () => {
    expect(useOf({ '192.0.2.1': 900 }).isHeavy(network('192.0.2.1'))).toBe(false);
    const same = Array.from({ length: 30 }, (_, index) => [`192.0.${index}.1`, 5] as const);
    const use = useOf(Object.fromEntries(same));
    expect(same.filter(([address]) => use.isHeavy(network(address)))).toEqual([]);
  });

  it('is a network, however many addresses it sends from', () => {
    const many = Array.from({ length: 200 }, (_, index) => [`192.0.2.${index}`, 10] as const);
    const use = useOf({ ...Object.fromEntries(many), '198.51.100.1': 10, '203.0.113.1': 10 });
    expect(use.isHeavy(network('192.0.2.77'))).toBe(true);
    expect(use.isHeavy(network('198.51.100.1'))).toBe(false);
  });

  it('is forgotten when a window has passed without requests', () => {
    const counts = { '192.0.2.1': 900, '198.51.100.1': 10 };
    expect(useOf(counts).isHeavy(network('192.0.2.1'))).toBe(true);
    expect(useOf(counts, 2_500).isHeavy(network('192.0.2.1'))).toBe(false);
  });

  it('counts a bounded number of callers', () => {
    let now = 0;
    const use = new RecentUse({ maxKeys: 3, now: () => now });
    for (let index = 0; index < 100; index += 1) use.note([`user:${index}`]);
    use.note(['user:0'], 50);
    now = 1_200;
    expect([use.isHeavy(['user:0']), use.isHeavy(['user:99'])]).toEqual([true, false]);
  });
});
