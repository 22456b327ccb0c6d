import { describe, expect, it } from 'vitest';
import { describeStep, type OrderStep } from './order-step.ts';
import { decodeVerdict, encodeVerdict, type ReleaseVerdict, type VerdictChange } from './release-verdict.ts';

const change = (verdict: VerdictChange['verdict'], message = 'The field was removed.'): VerdictChange => ({
  verdict,
  code: 'FIELD_REMOVED',
  coordinate: 'User.bio',
  message,
  operations: 2,
});
const VERDICT: ReleaseVerdict = {
  counts: { breaking: 0, dangerous: 1, unknown: 0, safe: 1, approved: 1 },
  changes: [change('safe'), { ...change('breaking'), approvedBy: 'ada' }, change('dangerous')],
  order: { verdict: 'ordered', steps: [{ action: 'deploy', subgraph: 'users' }, { action: 'publish' }] },
  operations: 12,
};

describe('The verdict of a release', () => {
  it('is read as it was written, the gravest change first', () => {
    const read = decodeVerdict(encodeVerdict(VERDICT) ?? '');
    expect(read.changes.map(({ verdict }) => verdict)).toEqual(['breaking', 'dangerous', 'safe']);
    expect(read).toMatchObject({ ...VERDICT, changes: expect.any(Array) as unknown });
  });

  it('has the 100 gravest of all changes, and texts of 400 characters', () => {
    const changes = [
      ...Array.from({ length: 150 }, () => change('safe')),
      change('breaking', 'x'.repeat(9_000)),
    ];
    const read = decodeVerdict(encodeVerdict({ ...VERDICT, changes }) ?? '');
    expect([read.changes.length, read.changes[0]?.verdict, read.changes[0]?.message.length]).toEqual([
      100,
      'breaking',
      400,
    ]);
  });

  it('is not written where its order does not fit: no part of an order is one', () => {
    const both: OrderStep = { action: 'deploy-both', subgraph: 'a', forNew: 'x'.repeat(900), forOld: 'y' };
    const steps = Array.from({ length: 1_000 }, () => both);
    expect(encodeVerdict({ ...VERDICT, order: { verdict: 'not-in-one-step', steps } })).toBeUndefined();
  });

  it('may have members of later versions', () => {
    const later = JSON.stringify({ ...JSON.parse(encodeVerdict(VERDICT) ?? ''), later: true });
    expect(decodeVerdict(later).counts).toEqual(VERDICT.counts);
  });

  it.each(['', 'null', '[]', '{}', '{"format":"trellis-release-verdict/2","counts":{},"changes":[]}'])(
    'is not what %j says',
    (text) => {
      expect(() => decodeVerdict(text)).toThrow();
    },
  );
});

it('Steps are said as commands say them', () => {
  const reasons = { forNew: 'a.b is new', forOld: 'a.c is used' };
  const said = (['deploy', 'deploy-both', 'deploy-any-time', 'publish', 'deploy-rest', 'end'] as const).map(
    (action) => describeStep({ action, subgraph: 'users', ...reasons }),
  );
  expect(said).toEqual([
    'deploy users',
    'deploy users with what is new (a.b is new) and still with what was before (a.c is used)',
    'deploy users (or at any other time)',
    'publish',
    'deploy users as it is in this change',
    'end users',
  ]);
});
