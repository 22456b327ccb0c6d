import { describe, expect, it } from 'vitest';
import type { AttemptStore } from '../stores/attempt-store.ts';
import { createThrottle } from './throttle.ts';

async function countersOf(address: string): Promise<string[]> {
  const names: string[] = [];
  const attempts: AttemptStore = {
    reserve: async (name) => {
      names.push(name);
      return 0;
    },
    refund: async () => undefined,
  };
  const limit = { failures: 1, windowS: 1 };
  const throttle = createThrottle(attempts, { perAccount: limit, perAddress: limit });
  await throttle.admit({ email: ' Ada@Example.com', address, knownBrowser: undefined });
  return names;
}

describe('A-088: who is counted together', () => {
  it.each([
    ['192.0.2.7', 'address:192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', 'address:2001:db8:1:2::/64'],
    ['2001:db8::1', 'address:2001:db8:0:0::/64'],
    ['::1', 'address:0:0:0:0::/64'],
    ['::ffff:192.0.2.7', 'address:::ffff:192.0.2.7'],
  ])('%s is counted as %s', async (address, name) => {
    expect((await countersOf(address))[0]).toBe(name);
  });

  it('counts an account whatever the case and blanks of its address, without naming it', async () => {
    const [, account] = await countersOf('192.0.2.7');
    expect(account).toMatch(/^account:[\w-]{43}$/);
  });
});
