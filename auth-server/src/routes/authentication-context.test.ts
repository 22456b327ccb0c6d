import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '@trellis/testkit/sign-in';
import { PASSWORD } from '../accounts/authentication-context.ts';
import {
  responseOf,
  authorizationUrl,
  basic,
  completePages,
  createPkce,
  exchange,
  obtainTokens,
  postForm,
  tokensOf,
  type Tokens,
} from '../testing/flow.ts';
import { runCommand } from '../testing/run-command.ts';
import { CALLBACK } from '../testing/test-clients.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

const OTHER = 'urn:example:two-factors';
const pkce = createPkce();
const browser = new Browser();
let server: TestAuthServer;
let tokens: Tokens;

beforeAll(async () => {
  server = await startTestAuthServer();
  tokens = await obtainTokens(server.issuer, {}, browser);
});
afterAll(() => server.stop());

/** What a request of someone who is signed in gets: `code`, or the error. */
async function outcomeOf(changes: Record<string, string>): Promise<string | null> {
  const first = await browser.get(authorizationUrl(server.issuer, pkce, changes));
  const response = responseOf(await completePages(browser, first, server.issuer));
  return response.has('code') ? 'code' : response.get('error');
}

const idTokenClaims = (claims: unknown): string => JSON.stringify({ id_token: claims });

describe('OpenID Connect Core §2, RFC 9068 §2.2.1: acr', () => {
  it('A-211 stands beside auth_time in id_tokens, access tokens and introspection', async () => {
    const idToken = decodeJwt(tokens.idToken);
    expect(idToken).toMatchObject({ acr: PASSWORD.acr, amr: ['pwd'] });
    const signIn = { acr: PASSWORD.acr, auth_time: idToken['auth_time'] };
    expect(decodeJwt(tokens.accessToken)).toMatchObject(signIn);
    const form = { token: tokens.accessToken };
    expect((await postForm(`${server.issuer}/introspect`, form, basic('basic'))).body).toMatchObject(signIn);
  });

  it('is absent for a client that acts for itself', async () => {
    const form = { grant_type: 'client_credentials' };
    const { body } = await postForm(`${server.issuer}/token`, form, basic('machine'));
    expect(decodeJwt(String(body['access_token']))).not.toHaveProperty('acr');
    const about = { token: String(body['access_token']) };
    const introspected = await postForm(`${server.issuer}/introspect`, about, basic('basic'));
    expect(introspected.body).not.toHaveProperty('acr');
    expect(introspected.body).not.toHaveProperty('auth_time');
  });

  it('stays what it was when tokens are refreshed, whatever the refresh asks for', async () => {
    const own = await obtainTokens(server.issuer, {}, browser);
    const form = { grant_type: 'refresh_token', client_id: 'spa', refresh_token: own.refreshToken };
    const asked = { ...form, acr_values: OTHER, max_age: '0' };
    const { idToken } = tokensOf(await postForm(`${server.issuer}/token`, asked));
    const before = decodeJwt(own.idToken);
    expect(decodeJwt(idToken)).toMatchObject({ acr: before['acr'], auth_time: before['auth_time'] });
  });
});

describe('OpenID Connect Core §5.5.1.1: a class that is asked for', () => {
  it.each<[string, Record<string, string>, string]>([
    ['one that there is', { acr_values: PASSWORD.acr }, 'code'],
    ['one of several', { acr_values: `${OTHER} ${PASSWORD.acr}`, scope: 'read:data' }, 'code'],
    ['one that there is not, voluntarily', { acr_values: OTHER }, 'code'],
    ['any, as essential', { claims: idTokenClaims({ acr: { essential: true } }) }, 'code'],
    [
      'one of several, as essential',
      { claims: idTokenClaims({ acr: { essential: true, values: [OTHER, PASSWORD.acr] } }) },
      'code',
    ],
    ['another one by claims, voluntarily', { claims: idTokenClaims({ acr: { values: [OTHER] } }) }, 'code'],
    ['null, as claims may be', { claims: idTokenClaims({ acr: null, auth_time: null }) }, 'code'],
    [
      'another one as essential',
      { claims: idTokenClaims({ acr: { essential: true, values: [OTHER] } }) },
      'unmet_authentication_requirements',
    ],
    [
      'another value as essential',
      { claims: idTokenClaims({ acr: { essential: true, value: OTHER } }) },
      'unmet_authentication_requirements',
    ],
    [
      'none at all as essential',
      { claims: idTokenClaims({ acr: { essential: true, values: [] } }) },
      'unmet_authentication_requirements',
    ],
    [
      'RFC 9470 §5: another one where no id_token would say what it was',
      { acr_values: OTHER, scope: 'read:data' },
      'unmet_authentication_requirements',
    ],
  ])('A-212 %s', async (_what, changes, expected) => {
    expect(await outcomeOf(changes)).toBe(expected);
  });

  it('by default, as the client is registered', async () => {
    const metadata = {
      client_id: 'default-acr',
      token_endpoint_auth_method: 'none',
      redirect_uris: [CALLBACK],
      default_acr_values: [OTHER],
    };
    const added = await runCommand(server, ['clients', 'add', '--metadata-stdin'], JSON.stringify(metadata));
    expect(added).toMatchObject({ status: 0 });
    const request = { client_id: 'default-acr', scope: 'read:data' };
    expect(await outcomeOf(request)).toBe('unmet_authentication_requirements');
    expect(await outcomeOf({ ...request, acr_values: PASSWORD.acr })).toBe('code');
    expect(await outcomeOf({ ...request, scope: 'openid' })).toBe('code');
  });

  it('is rejected before anyone has to sign in', async () => {
    const url = authorizationUrl(server.issuer, pkce, { acr_values: OTHER, scope: 'read:data' });
    const response = responseOf(await new Browser().get(url));
    expect(response.get('error')).toBe('unmet_authentication_requirements');
    expect(response.get('iss')).toBe(server.issuer);
  });
});

describe('OpenID Connect Core §5.5: the parameter claims', () => {
  it.each([
    '{',
    'null',
    '[]',
    '"acr"',
    idTokenClaims([]),
    idTokenClaims({ acr: PASSWORD.acr }),
    idTokenClaims({ acr: { essential: 'true' } }),
    idTokenClaims({ acr: { values: PASSWORD.acr } }),
    idTokenClaims({ sub: { value: 7 } }),
    '{"userinfo":[]}',
  ])('%s is no claims request', async (claims) => {
    expect(await outcomeOf({ claims })).toBe('invalid_request');
  });

  it('asks for more about the user than scopes give, and gets no error and no more', async () => {
    const claims = JSON.stringify({
      userinfo: { email: { essential: true }, __proto__: null },
      id_token: { email: { essential: true }, 'https://example/unknown': null },
    });
    const found = await obtainTokens(server.issuer, { scope: 'openid', claims }, browser);
    const response = await fetch(`${server.issuer}/userinfo`, {
      headers: { authorization: `Bearer ${found.accessToken}` },
    });
    expect(Object.keys((await response.json()) as object)).toEqual(['sub']);
    expect(decodeJwt(found.idToken)).not.toHaveProperty('email');
  });

  it('names the only user that will do, as id_token_hint does', async () => {
    const sub = String(decodeJwt(tokens.idToken).sub);
    const asking = (value: string): string => idTokenClaims({ sub: { value } });
    expect(await outcomeOf({ prompt: 'none', claims: asking(sub) })).toBe('code');
    expect(await outcomeOf({ prompt: 'none', claims: asking('someone-else') })).toBe('login_required');
    const both = { claims: asking('someone-else'), id_token_hint: tokens.idToken };
    expect(await outcomeOf(both)).toBe('invalid_request');
    expect(await outcomeOf({ ...both, claims: asking(sub) })).toBe('code');
  });
});

describe('OpenID Connect Core §3.1.2.1: max_age=0', () => {
  it('asks for a sign-in again, and the token endpoint gives its moment', async () => {
    const first = await browser.get(authorizationUrl(server.issuer, pkce, { max_age: '0' }));
    expect(first.headers.get('location')).toContain('/login');
    const before = Math.floor(Date.now() / 1000);
    const code = responseOf(await completePages(browser, first, server.issuer)).get('code') ?? '';
    const { accessToken } = tokensOf(await exchange(server.issuer, code, pkce));
    expect(decodeJwt(accessToken)['auth_time']).toBeGreaterThanOrEqual(before);
  });

  it('with prompt=none is login_required', async () => {
    expect(await outcomeOf({ max_age: '0', prompt: 'none' })).toBe('login_required');
  });
});
