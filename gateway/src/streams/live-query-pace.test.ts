import { describe, expect, it } from 'vitest';
import { fillIn } from '../settings/fill-in.ts';
import { settingTable } from '../settings/settings.ts';
import { liveQueryIntervalMs } from './live-query-source.ts';

describe('The pace of a live query', () => {
  const intervalMs = (throttleMs: number | undefined, live = {}): number =>
    liveQueryIntervalMs(throttleMs, fillIn(settingTable, { live }));

  it('is 5 s by default', () => {
    expect(intervalMs(undefined)).toBe(5_000);
  });

  it('is what the query asks for', () => {
    expect(intervalMs(20_000)).toBe(20_000);
  });

  it.each([
    [1, 1_000],
    [0, 1_000],
    [-5, 1_000],
    [999, 1_000],
    [300_001, 300_000],
    [2_147_483_647, 300_000],
  ])('S-078 stays within its floor and cap: %i ms is %i ms', (asked, given) => {
    expect(intervalMs(asked)).toBe(given);
  });

  it('stays within those of the operator', () => {
    const settings = { intervalMs: 10, minIntervalMs: 2_000, maxIntervalMs: 3_000 };
    expect([intervalMs(undefined, settings), intervalMs(9_000, settings)]).toEqual([2_000, 3_000]);
  });
});
