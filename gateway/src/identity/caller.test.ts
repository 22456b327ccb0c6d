import { describe, expect, it } from 'vitest';
import { ANONYMOUS, clientOf, shareKeysOfCaller, userOf } from './caller.ts';

describe('G4: A client', () => {
  const of = (issuer: string): string | undefined =>
    clientOf({ ...ANONYMOUS, context: { issuer, clientId: 'web', scopes: [] } });

  it('cannot pass for another by how its parts are joined', () => {
    const idOf = (issuer: string, clientId: string): string | undefined =>
      clientOf({ ...ANONYMOUS, context: { issuer, clientId, scopes: [] } });
    expect(idOf('a', 'b c')).not.toBe(idOf('a b', 'c'));
    expect(idOf('a', 'b","c')).not.toBe(idOf('a","b', 'c'));
  });

  it('is another one at another issuer, in rates and in shares', () => {
    expect(of('https://a.example')).toBe(of('https://a.example'));
    expect(of('https://a.example')).not.toBe(of('https://b.example'));
    const context = { issuer: 'https://a.example', clientId: 'web', scopes: [] };
    expect(shareKeysOfCaller({ ...ANONYMOUS, context }, '192.0.2.1')).toEqual([
      `client:${of('https://a.example')}`,
    ]);
  });
});

it('An anonymous caller has no id, and no client', () => {
  expect(userOf(ANONYMOUS)).toBeUndefined();
  expect(clientOf(ANONYMOUS)).toBeUndefined();
});
