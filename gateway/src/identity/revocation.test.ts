import { describe, expect, it } from 'vitest';
import { holderKeysOf, parseRevocation } from './revocation.ts';

describe('An entry of the feed of revocations', () => {
  it.each([
    ['AbC-1_2', { kind: 'grant', grantId: 'AbC-1_2' }],
    ['revoked-before:user:ada:17', { kind: 'issued-before', holder: 'user:ada', untilS: 17 }],
    ['revoked-before:client:user:a:17', { kind: 'issued-before', holder: 'client:user:a', untilS: 17 }],
  ])('%s is read, also from an auth-server of before', (text, expected) => {
    expect(parseRevocation(text)).toEqual(expected);
  });
});

describe('RFC 8693: A token that was exchanged', () => {
  const keysOf = (claims: Readonly<Record<string, unknown>>): readonly string[] =>
    holderKeysOf({ claims, grantId: undefined });

  it('ends with each of the clients whose tokens led to it', () => {
    expect(keysOf({ sub: 'ada', client_id: 'b', exchanged_from: ['a', 'c'] })).toEqual([
      'user:ada',
      'client:b',
      'client:a',
      'client:c',
    ]);
    expect(keysOf({ sub: 'ada', client_id: 'b', exchanged_from: 'a' })).toEqual(['user:ada', 'client:b']);
  });
});
