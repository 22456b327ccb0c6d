import { describe, expect, it } from 'vitest';
import type { AttemptLimit, AttemptStore } from '../../attempts/attempt-store.ts';
import type { WriteRoom } from '../../attempts/write-room.ts';
import { createBoundedAttempts } from '../../attempts/bounded-attempts.ts';
import { createThrottle as createBoundedThrottle, type Throttle } from './throttle.ts';

interface Counting extends AttemptStore {
  readonly counts: Map<string, number>;
}

function createCounting(): Counting {
  const counts = new Map<string, number>();
  return {
    counts,
    reserve: async (name, { failures }: AttemptLimit) => {
      const count = counts.get(name) ?? 0;
      if (count >= failures) return 1;
      counts.set(name, count + 1);
      return 0;
    },
    refund: async (name) => void counts.set(name, (counts.get(name) ?? 0) - 1),
  };
}

const ROOM = { take: () => ({ giveBack: () => undefined }) };
const LIMITS = { perAccount: { failures: 10, windowS: 1 }, perAddress: { failures: 100, windowS: 1 } };

function createThrottle(attempts: AttemptStore, limits: typeof LIMITS, room: WriteRoom): Throttle {
  return createBoundedThrottle(attempts, limits, createBoundedAttempts(attempts, room, Date.now));
}

async function countersOf(address: string, knownBrowser?: string): Promise<string[]> {
  const attempts = createCounting();
  await createThrottle(attempts, LIMITS, ROOM).admit({ account: 'ada', address, knownBrowser });
  return [...attempts.counts.keys()];
}

describe('A-088: who is counted together', () => {
  it.each([
    ['192.0.2.7', ['192.0.2.7/32', '192.0.2.0/24']],
    ['::ffff:192.0.2.7', ['192.0.2.7/32', '192.0.2.0/24']],
    ['2001:db8:1:2:3:4:5:6', ['2001:db8:1:2::/64', '2001:db8:1::/56', '2001:db8:1::/48']],
  ])('%s is counted as %j', async (address, networks) => {
    expect(await countersOf(address)).toEqual([
      'account:ada',
      ...networks.map((network) => `sign-in:network:${network}`),
    ]);
  });

  it('M7: an address with the port that a proxy sends is no new one', async () => {
    expect(await countersOf('198.51.100.7:40001')).toEqual(await countersOf('198.51.100.7:40002'));
  });

  it('M7: a browser that the account knows is not counted with its address', async () => {
    expect(await countersOf('192.0.2.7', 'known')).toEqual([
      expect.stringMatching(/^account:ada:[\w-]{43}$/),
    ]);
  });

  it('M7: a /48 has sixteen times the failures of one /64, however many of them it uses', async () => {
    const throttle = createThrottle(createCounting(), LIMITS, ROOM);
    let admitted = 0;
    for (let round = 0; round < 4_000; round += 1) {
      const address = `2001:db8:1:${(round % 2_000).toString(16)}::1`;
      const { kind } = await throttle.admit({ account: `${round}`, address, knownBrowser: undefined });
      if (kind === 'admitted') admitted += 1;
    }
    expect(admitted).toBe(1_600);
  });

  it('H2: a caller without room left for counters makes none, and may try all the same, counted here', async () => {
    const attempts = createCounting();
    const throttle = createThrottle(attempts, LIMITS, { take: () => undefined });
    const attempt = { account: 'ada', address: '192.0.2.7' };
    for (let round = 0; round < 10; round += 1) {
      expect((await throttle.admit({ ...attempt, knownBrowser: undefined })).kind).toBe('admitted');
    }
    const rejected = await throttle.admit({ ...attempt, knownBrowser: undefined });
    expect(rejected).toMatchObject({ kind: 'throttled', by: 'account' });
    expect(attempts.counts.size).toBe(0);
    expect((await throttle.admit({ ...attempt, knownBrowser: 'known' })).kind).toBe('admitted');
  });

  it('counts an attempt that is rejected nowhere', async () => {
    const attempts = createCounting();
    const throttle = createThrottle(attempts, LIMITS, ROOM);
    const attempt = { account: 'ada', address: '192.0.2.7', knownBrowser: undefined };
    for (let round = 0; round < 50; round += 1) await throttle.admit(attempt);
    expect([...attempts.counts.values()]).toEqual([10, 10, 10]);
  });
});
