import { describe, expect, it } from 'vitest';
import { ANONYMOUS, type Caller } from '../identity/caller.ts';
import { StreamQuota } from './stream-quota.ts';
import { fillIn } from '../settings/fill-in.ts';
import { settingTable } from '../settings/settings.ts';

const SETTINGS = fillIn(settingTable, { subscriptions: { maxPerUser: 3 } });
const ADA: Caller = { ...ANONYMOUS, authenticated: true, actor: 'ada' };

/** @returns how many streams were opened, each from another address */
function openMany(quota: StreamQuota, caller: Caller, addressOf: (index: number) => string): number {
  for (let index = 0; index < 100; index += 1) {
    try {
      quota.take('subscription', caller, addressOf(index), SETTINGS);
    } catch {
      return index;
    }
  }
  return 100;
}

describe('G9: the streams of one caller', () => {
  it.each([
    ['of an address', 3, (_index: number) => '192.0.2.1'],
    ['of a /64', 3, (index: number) => `2001:db8::${index}`],
    ['of all addresses of a /24', 12, (index: number) => `192.0.2.${index}`],
    ['of all networks of a /56', 12, (index: number) => `2001:db8:0:${index}::1`],
    ['of all networks of a /48', 48, (index: number) => `2001:db8:0:${index.toString(16)}00::1`],
  ])('are bounded: %s', (_who, most, addressOf) => {
    expect(openMany(new StreamQuota(), ANONYMOUS, addressOf)).toBe(most);
  });

  it('are bounded for a user wherever it comes from, and given back once', () => {
    const quota = new StreamQuota();
    const release = quota.take('live', ADA, '192.0.2.1', SETTINGS);
    expect(openMany(quota, ADA, (index) => `192.0.${index}.1`)).toBe(2);
    release();
    release();
    expect(openMany(quota, ADA, (index) => `192.0.${index}.1`)).toBe(1);
  });
});
