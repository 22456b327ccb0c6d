import { describe, expect, it } from 'vitest';
import { bearerTokenOf } from './bearer-token.ts';

describe('RFC 9110 §11.1: the scheme Bearer', () => {
  it.each(['Bearer', 'bearer', 'BEARER'])('has its token after %s', (scheme) => {
    expect(bearerTokenOf(`${scheme} a.b`)).toBe('a.b');
    expect(bearerTokenOf(`${scheme}   a.b`)).toBe('a.b');
  });

  it.each(['aZ09-._~+/', 'a.b=', 'a=='])('RFC 6750 §2.1: may be %s', (token) => {
    expect(bearerTokenOf(`Bearer ${token}`)).toBe(token);
  });

  it.each(['a.b c', 'a.b \tc', 'a=b', '=', 'a"b', 'a,b', 'ä', 'a\n'])(
    'RFC 6750 §2.1: is not what holds other characters: %j',
    (text) => {
      expect(bearerTokenOf(`Bearer ${text}`)).toBeUndefined();
    },
  );

  it.each([undefined, '', 'a.b', 'Bearer', 'Bearer ', 'Bearera.b', 'Basic a.b', 'DPoP a.b', 'x Bearer a.b'])(
    'has none in %j',
    (authorization) => {
      expect(bearerTokenOf(authorization)).toBeUndefined();
    },
  );

  it.each([' ', 'a', '='])('looks at each character once: 500,000 of %j', (character) => {
    const startedAt = performance.now();
    expect(bearerTokenOf(`Bearer ${character.repeat(500_000)}\n`)).toBeUndefined();
    expect(performance.now() - startedAt).toBeLessThan(1_000); // square time is minutes
  });
});
