import { beforeEach, describe, expect, it } from 'vitest';
import type { AttemptLimit } from '../attempts/attempt-store.ts';
import { createBoundedAttempts } from '../attempts/bounded-attempts.ts';
import { createWriteRoom } from '../attempts/write-room.ts';
import { createMailLimits, type MailLimits } from './mail-limits.ts';

let limits: MailLimits;
beforeEach(() => {
  const counts = new Map<string, number>();
  const attempts = {
    reserve: async (name: string, { failures }: AttemptLimit): Promise<number> => {
      const count = counts.get(name) ?? 0;
      if (count >= failures) return 1;
      counts.set(name, count + 1);
      return 0;
    },
    refund: async (name: string): Promise<void> => void counts.set(name, (counts.get(name) ?? 0) - 1),
  };
  const room = { take: (): { giveBack: () => undefined } => ({ giveBack: () => undefined }) };
  const anonymousAttempts = createBoundedAttempts(attempts, room, Date.now);
  const links = { room: createWriteRoom(1_048_576, Date.now), ttlS: 86_400 };
  limits = createMailLimits(attempts, anonymousAttempts, (email) => email, links);
});

const ask = (address: string, knownBrowser?: string): Promise<boolean> =>
  limits.reserveRecipient('ada@example.com', { address, knownBrowser });

async function countTrue(attempts: number, work: (round: number) => Promise<boolean>): Promise<number> {
  let count = 0;
  for (let round = 0; round < attempts; round += 1) if (await work(round)) count += 1;
  return count;
}

describe('L3: mail', () => {
  it('may be asked for by one /64 of IPv6 as often as by one address of IPv4, by a /48 sixteen times as often', async () => {
    const from = (address: string): Promise<boolean> =>
      limits.reserveSender(address).then((waitS) => waitS === 0);
    expect(await countTrue(50, () => from('192.0.2.7'))).toBe(20);
    expect(await countTrue(50, (round) => from(`2001:db8:1:1::${round}`))).toBe(20);
    expect(await countTrue(2_000, (round) => from(`2001:db8:2:${round.toString(16)}::1`))).toBe(320);
  });

  it('is not withheld from a user by three requests of another', async () => {
    expect(await countTrue(10, () => ask('203.0.113.1'))).toBe(3);
    expect(await ask('198.51.100.1')).toBe(true);
  });

  it('is not withheld from a browser that the account knows by all others together', async () => {
    expect(await countTrue(100, (round) => ask(`203.0.113.${round}`))).toBe(12);
    expect(await countTrue(10, () => ask('203.0.113.1', 'known'))).toBe(3);
  });

  it('H2: is closed to no user by what others ask for, which takes no room for links', async () => {
    const tooMany = 1_048_576 / 1_500;
    for (let round = 0; round < 3 * tooMany; round += 1) {
      expect(await limits.reserveSender(`10.${round >> 8}.${round & 255}.1`)).toBe(0);
    }
    expect(limits.takeLinkRoom('198.51.100.1')).toBeDefined();
  });

  it('notifies the owner of a new password, however many new browsers there were', async () => {
    expect(await countTrue(100, () => limits.reserveNotice('ada', 'new_device'))).toBe(20);
    expect(await limits.reserveNotice('ada', 'password_changed')).toBe(true);
  });
});
