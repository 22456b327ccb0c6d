import { shareKeysOf, type QueueCaller } from '@trellis/runtime/admission';
import { describe, expect, it } from 'vitest';
import { createHashTurns } from './hash-turns.ts';

const ada: QueueCaller = { keys: ['user:ada'], isKnown: true };

function callerAt(address: string): QueueCaller {
  return { keys: shareKeysOf({ address }), isKnown: false };
}

/** Work that ends in the order in which it began, one after another. */
function createWork(): { readonly begun: string[]; readonly of: (name: string) => () => Promise<void> } {
  const begun: string[] = [];
  return {
    begun,
    of: (name) => async () => {
      begun.push(name);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

function outcomeOf(turn: Promise<void>): Promise<string> {
  return turn.then(() => 'done', String);
}

/** What the last of many is rejected with. */
async function rejectionOf(callerOf: (index: number) => QueueCaller): Promise<unknown> {
  const inTurn = createHashTurns(1);
  const { of } = createWork();
  const all = Array.from({ length: 150 }, (_, index) => inTurn(of('another'), callerOf(index)));
  const last = (await Promise.allSettled(all)).at(-1);
  return last?.status === 'rejected' ? last.reason : undefined;
}

describe('M7: turns at hashing passwords', () => {
  it('are had at once by a known browser, while 130 addresses wait', async () => {
    const inTurn = createHashTurns(2);
    const { begun, of } = createWork();
    const unknown = Array.from({ length: 130 }, (_, index) =>
      inTurn(of(`${index}`), callerAt(`203.0.${index}.1`)),
    );
    const known = outcomeOf(inTurn(of('ada'), ada));
    const outcomes = await Promise.allSettled(unknown);
    expect(await known).toBe('done');
    expect(begun.indexOf('ada')).toBeLessThan(4);
    expect(outcomes.filter(({ status }) => status === 'rejected').length).toBeGreaterThanOrEqual(28);
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(100);
  });

  it('are had by another network, while one has filled its part of the queue', async () => {
    const inTurn = createHashTurns(1);
    const { begun, of } = createWork();
    const flood = Array.from({ length: 300 }, (_, index) =>
      inTurn(of(`${index}`), callerAt(`203.0.113.${index % 256}`)),
    );
    const other = outcomeOf(inTurn(of('other'), callerAt('198.51.100.1')));
    await Promise.allSettled(flood);
    expect(await other).toBe('done');
    expect(begun.indexOf('other')).toBeLessThan(3);
  });

  it('say when to come back, when there is no place', async () => {
    const inTurn = createHashTurns(1);
    const { of } = createWork();
    const all = Array.from({ length: 60 }, () => inTurn(of('same'), callerAt('203.0.113.1')));
    const rejected = (await Promise.allSettled(all)).find(({ status }) => status === 'rejected');
    expect(rejected).toMatchObject({ reason: { headers: { 'retry-after': '5' } } });
  });

  it.each([
    ['an address', () => callerAt('203.0.113.1'), 'from this network'],
    ['a /24', (index: number) => callerAt(`203.0.113.${index % 256}`), 'from this network'],
    ['an account in known browsers', () => ada, 'of this account'],
  ])('are rejected with 429: %s that has its share waiting', async (_who, callerOf, whose) => {
    expect(await rejectionOf(callerOf)).toMatchObject({
      code: 'too_many_requests',
      status: 429,
      headers: { 'retry-after': '5' },
      message: `Too many passwords ${whose} are being checked. Try again in 5 s.`,
    });
  });

  it('are rejected with 503: one who has nothing waiting, when all places are taken', async () => {
    expect(await rejectionOf((index) => callerAt(`203.0.${index}.1`))).toMatchObject({
      code: 'temporarily_unavailable',
      status: 503,
      headers: { 'retry-after': '5' },
    });
  });

  it('go on after work that fails', async () => {
    const inTurn = createHashTurns(1);
    await expect(inTurn(() => Promise.reject(new Error('no')), ada)).rejects.toThrow('no');
    await expect(inTurn(() => Promise.resolve('yes'), ada)).resolves.toBe('yes');
  });
});
