import { describe, expect, it } from 'vitest';
import { parseTrustedIssuers } from './trusted-issuer.ts';

const rules = {
  scopes: ['openid', 'read:data', 'auth:admin'],
  ownIssuer: 'https://own.example',
  loopback: false,
};
const good = {
  issuer: 'https://partner.example',
  uses: ['assertion'],
  clients: ['billing'],
  scopes: ['read:data'],
  subjects: 'linked',
};
const jwk = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' };

const problemsOf = (...issuers: readonly unknown[]): readonly string[] =>
  parseTrustedIssuers(issuers, rules).problems;

describe('A declaration of a trusted issuer', () => {
  it('says what its tokens are for, for whom, and who its users are; the rest has defaults', () => {
    expect(parseTrustedIssuers([good], rules)).toEqual({
      problems: [],
      issuers: [{ ...good, algorithms: ['ES256', 'RS256', 'PS256', 'EdDSA'], audiences: [] }],
    });
    expect(problemsOf({ ...good, jwks: { keys: [jwk] }, issuer: 'urn:partner' })).toEqual([]);
    expect(problemsOf({ ...good, jwks_uri: 'https://keys.example', issuer: 'urn:partner' })).toEqual([]);
  });

  it.each<[object, string]>([
    [{ uses: undefined }, 'uses'],
    [{ uses: [] }, 'uses'],
    [{ clients: undefined }, 'clients'],
    [{ clients: [] }, 'clients'],
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['openid'] }, 'scopes: are none of an API here: openid'],
    [{ scopes: ['auth:admin'] }, 'scopes: are none of an API here: auth:admin'],
    [{ scopes: ['read:data', 'else'] }, 'scopes: are none of an API here: else'],
    [{ subjects: undefined }, 'subjects'],
    [{ subjects: 'email' }, 'subjects'],
    [{ algorithms: ['HS256'] }, 'algorithms'],
    [{ algorithms: ['none'] }, 'algorithms'],
    [{ issuer: 'https://own.example' }, 'issuer: is this server itself'],
    [{ issuer: 'http://partner.example' }, 'issuer: keys are fetched by https alone'],
    [{ issuer: 'http://127.0.0.1' }, 'issuer: keys are fetched by https alone'],
    [{ issuer: 'partner' }, 'issuer: keys are fetched by https alone'],
    [{ jwks_uri: 'file:///etc/passwd' }, 'jwks_uri: keys are fetched by https alone'],
    [{ jwks_uri: 'https://me@partner.example' }, 'jwks_uri: keys are fetched by https alone'],
    [{ jwks: { keys: [jwk] }, jwks_uri: 'https://partner.example/keys' }, 'jwks_uri: has no use beside jwks'],
    [{ jwks: { keys: [{ ...jwk, d: 'd' }] } }, 'must hold public keys only'],
    [{ jwks: { keys: [{ kty: 'oct', k: 'k' }] } }, 'must hold public keys only'],
    [{ jwks: { keys: [] } }, 'jwks'],
    [{ audiences: ['x'] }, 'audiences: have no use without subject_token'],
    [{ audience: 'x' }, 'Unrecognized key'],
  ])('%j has a problem: %s', (changes, problem) => {
    const [found = '', ...others] = problemsOf({ ...good, ...changes });
    expect(found).toMatch(/^issuer 1: /);
    expect([found, ...others].join('\n')).toContain(problem);
  });

  it('stands once for each issuer, in a list', () => {
    expect(problemsOf(good, good)).toEqual(['https://partner.example is declared more than once.']);
    expect(parseTrustedIssuers({}, rules).problems).toEqual(['must hold a JSON array of issuers.']);
    expect(problemsOf(null)).toHaveLength(1);
  });
});
