import { describe, expect, it } from 'vitest';
import { honoursSignIn } from './next-step.ts';

const now = 1_700_000_000_000;
const session = { sessionId: 's', subject: 'u', authenticatedAt: now };
const account = { credentialsChangedAt: 0, disabled: false };

const isHonoured = (maxAgeS: number, ageMs: number): boolean =>
  honoursSignIn(
    { request: { prompts: [], maxAgeS }, now: now + ageMs, waitingSince: undefined } as never,
    session,
    account as never,
  );

describe('OpenID Connect Core §3.1.2.1: max_age', () => {
  it('0 takes no sign-in of before, not even of the same millisecond', () => {
    expect(isHonoured(0, 0)).toBe(false);
  });

  it.each([
    [1, 999, true],
    [1, 1_000, false],
    [300, 299_999, true],
    [300, 300_000, false],
  ])('%d s with a sign-in %d ms ago: %s', (maxAgeS, ageMs, expected) => {
    expect(isHonoured(maxAgeS, ageMs)).toBe(expected);
  });
});
