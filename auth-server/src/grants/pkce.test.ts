import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isCodeChallenge, verifierMatches } from './pkce.ts';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

describe('RFC 7636', () => {
  it('accepts the example of appendix B', () => {
    expect(
      verifierMatches(
        'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
        'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      ),
    ).toBe(true);
  });

  it.each([
    ['42 characters', 'a'.repeat(42)],
    ['129 characters', 'a'.repeat(129)],
    ['a plus sign', `${'a'.repeat(43)}+`],
    ['a line break at the end', `${'a'.repeat(43)}\n`],
    ['a letter beyond ASCII', `${'a'.repeat(43)}ü`],
  ])('A-115 rejects a verifier with %s although its hash matches', (_what, verifier) => {
    expect(verifierMatches(verifier, hashOf(verifier))).toBe(false);
  });

  it('accepts verifiers of 43 and of 128 characters', () => {
    for (const verifier of ['~'.repeat(43), '.'.repeat(128)]) {
      expect(verifierMatches(verifier, hashOf(verifier))).toBe(true);
    }
  });

  it('A-116 does not take the challenge itself for a verifier', () => {
    const challenge = hashOf('v'.repeat(43));
    expect(verifierMatches(challenge, challenge)).toBe(false);
  });

  it('A-046 wants exactly 43 characters of base64url as a challenge', () => {
    expect(isCodeChallenge(hashOf('x'))).toBe(true);
    for (const bad of ['', 'a'.repeat(42), 'a'.repeat(44), `${'a'.repeat(42)}=`, `${'a'.repeat(42)}~`]) {
      expect(isCodeChallenge(bad)).toBe(false);
    }
  });
});
