import { describe, expect, it } from 'vitest';
import { ANONYMOUS, userOf, type Caller } from './caller.ts';

const callerWith = (claims: Caller['claims']): Caller => ({ ...ANONYMOUS, authenticated: true, claims });

describe('A user', () => {
  it('is the same with every token, and another one at another issuer', () => {
    const ada = userOf(callerWith({ iss: 'https://a.example', sub: 'ada', jti: '1' }));
    expect(userOf(callerWith({ iss: 'https://a.example', sub: 'ada', jti: '2' }))).toBe(ada);
    expect(userOf(callerWith({ iss: 'https://b.example', sub: 'ada' }))).not.toBe(ada);
    expect(userOf(callerWith({ iss: 'https://a.example', sub: 'ed' }))).not.toBe(ada);
  });

  it('can not pass for another by how the parts are joined', () => {
    expect(userOf(callerWith({ iss: 'a', sub: 'b c' }))).not.toBe(
      userOf(callerWith({ iss: 'a b', sub: 'c' })),
    );
  });

  it('is nobody without a token, or with one that names none', () => {
    expect(userOf(ANONYMOUS)).toBeUndefined();
    expect(userOf(callerWith({ iss: 'https://a.example', sub: 7 }))).toBeUndefined();
  });
});
