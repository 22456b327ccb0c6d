import * as client from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { demoPeople } from '../harness/demo-people.ts';
import { FormBrowser } from '@trellis/testkit/sign-in';
import { otherAudience, sharedPlatform } from '../harness/shared-platform.ts';
import {
  asksForPassword,
  demoRedirectUri,
  discover,
  enterPassword,
  reachClient,
  prepareRequest,
  signIn,
  type Tokens,
} from '../harness/sign-in.ts';
import { claimsOf, postToken, rejectionOf, userInfo } from '../harness/token-endpoint.ts';

const { issuer, graph } = sharedPlatform().addresses;

describe('The authorization code flow with PKCE, by forms alone', () => {
  let config: client.Configuration;

  beforeAll(async () => {
    config = await discover(issuer);
  });

  it('returns code, state and issuer in the query of the redirect URI, and nothing in the fragment (A-031, A-047, A-052)', async () => {
    const state = `${client.randomState()} &=+%"'<ü>`;
    const request = await prepareRequest(config, { parameters: { state } });
    const { url, status } = await reachClient(new FormBrowser(), request.url);
    expect(status).toBe(303);
    expect(url.href.startsWith(`${demoRedirectUri}?`)).toBe(true);
    expect(url.hash).toBe('');
    expect(url.searchParams.get('state')).toBe(state);
    expect(url.searchParams.get('iss')).toBe(issuer);
    expect(url.searchParams.get('code')).toMatch(/^[\w-]{22,}$/);
  });

  it('sends no state back where none came (A-048)', async () => {
    const request = await prepareRequest(config);
    request.url.searchParams.delete('state');
    const { url } = await reachClient(new FormBrowser(), request.url);
    expect(url.searchParams.has('code')).toBe(true);
    expect(url.searchParams.has('state')).toBe(false);
  });

  it('gives tokens that the client library accepts, with an id_token about the one who signed in (A-093, A-147)', async () => {
    const tokens = await signIn(issuer, { user: demoPeople.ed });
    const claims = tokens.claims();
    expect(tokens).toMatchObject({ token_type: 'bearer', refresh_token: expect.any(String) as string });
    expect(claims).toMatchObject({ iss: issuer, aud: 'trellis-cli', nonce: expect.any(String) as string });
    const user = await client.fetchUserInfo(config, tokens.access_token, claims?.sub ?? '');
    expect(user.email).toBe(demoPeople.ed.email);
  });

  it('returns userinfo by scope, and no more (A-149, A-073)', async () => {
    const bare = await signIn(issuer, { scope: 'openid read:data' });
    const subject = bare.claims()?.sub ?? '';
    expect(await client.fetchUserInfo(config, bare.access_token, subject)).toEqual({ sub: subject });
    const plain = await signIn(issuer, { scope: 'read:data' });
    expect(plain.id_token).toBeUndefined();
    const rejected = await userInfo(plain);
    expect(rejected.status).toBe(403);
    expect(rejected.headers.get('www-authenticate')).toContain('insufficient_scope');
  });

  it('says at userinfo what is wrong with a token, and nothing else to any caller (A-151, A-152)', async () => {
    const without = await fetch(`${issuer}/userinfo`);
    expect([without.status, without.headers.get('www-authenticate')]).toEqual([
      401,
      expect.not.stringContaining('error'),
    ]);
    const garbage = await userInfo({ access_token: 'garbage' });
    expect([garbage.status, garbage.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('error="invalid_token"'),
    ]);
    const { access_token: token } = await signIn(issuer);
    const inQuery = await fetch(`${issuer}/userinfo?access_token=${token}`);
    expect(inQuery.status).toBe(401);
  });

  it('asks for the password once and for consent every time, where the client is native (A-090)', async () => {
    const browser = new FormBrowser();
    await signIn(issuer, { browser });
    const again = await browser.open((await prepareRequest(config)).url);
    if (again.kind !== 'page') throw new Error('No page was shown.');
    expect(asksForPassword(again)).toBe(false);
    expect(again.document.querySelectorAll('button').map(({ text }) => text.trim())).toEqual([
      'Allow',
      'Deny',
    ]);
  });

  it('sends a user who denies back with access_denied, state and issuer (A-085)', async () => {
    const browser = new FormBrowser();
    const request = await prepareRequest(config);
    const login = await browser.open(request.url);
    if (login.kind !== 'page') throw new Error('No page was shown.');
    const consent = await enterPassword(browser, login, demoPeople.vi);
    if (consent.kind !== 'page') throw new Error('Consent was not asked for.');
    const { url } = await browser.submit(consent, { button: /^Deny/ });
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      error: 'access_denied',
      state: request.state,
      iss: issuer,
    });
    expect(url.searchParams.has('code')).toBe(false);
  });

  it('makes tokens for another resource that is asked for, as a single string (A-143, A-057)', async () => {
    const { access_token: token } = await signIn(issuer, { resource: otherAudience });
    expect(claimsOf(token)['aud']).toBe(otherAudience);
    const request = await prepareRequest(config, { resource: 'https://unknown.example/api' });
    const response = await new FormBrowser().open(request.url);
    expect(response.kind).toBe('departure');
    expect(response.url.searchParams.get('error')).toBe('invalid_target');
    expect(claimsOf((await signIn(issuer)).access_token)['aud']).toBe(graph);
  });

  it('exchanges a code without redirect_uri, which PKCE binds (A-112)', async () => {
    const { url, verifier } = await authorized(config);
    const response = await postToken({ code: url.searchParams.get('code') ?? '', code_verifier: verifier });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toContain('no-store');
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.json()).toMatchObject({
      token_type: 'Bearer',
      expires_in: expect.any(Number) as number,
    });
  });

  it('rejects a redirect_uri at the token endpoint that is not the one of the request (A-113)', async () => {
    const { url, verifier } = await authorized(config);
    const code = url.searchParams.get('code') ?? '';
    const response = await postToken({ code, code_verifier: verifier, redirect_uri: `${demoRedirectUri}/` });
    expect(await rejectionOf(response)).toBe('400 invalid_grant');
  });

  it('rejects a wrong verifier, none, and the challenge itself, and leaves the code usable (A-114, A-116, A-122)', async () => {
    const { url, verifier, request } = await authorized(config);
    const code = url.searchParams.get('code') ?? '';
    const challenge = request.searchParams.get('code_challenge') ?? '';
    for (const wrong of [client.randomPKCECodeVerifier(), challenge, verifier.slice(0, 42), `${verifier}!`])
      expect(await rejectionOf(await postToken({ code, code_verifier: wrong }))).toMatch(
        /^400 invalid_(grant|request)$/,
      );
    expect(await rejectionOf(await postToken({ code }))).toMatch(/^400 invalid_(grant|request)$/);
    expect((await postToken({ code, code_verifier: verifier })).status).toBe(200);
  });

  it('gives nothing for a code that was used, and takes back what it gave for it (A-120, A-121)', async () => {
    const { url, verifier } = await authorized(config);
    const code = url.searchParams.get('code') ?? '';
    const first = (await (await postToken({ code, code_verifier: verifier })).json()) as Tokens;
    expect((await userInfo(first)).status).toBe(200);
    expect(await rejectionOf(await postToken({ code, code_verifier: verifier }))).toBe('400 invalid_grant');
    expect((await userInfo(first)).status).toBe(401);
    const refresh = await postToken({
      grant_type: 'refresh_token',
      refresh_token: first.refresh_token ?? '',
    });
    expect(await rejectionOf(refresh)).toBe('400 invalid_grant');
  });

  it('gives tokens once when 20 ask for them at once (A-123)', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { url, verifier } = await authorized(config);
      const code = url.searchParams.get('code') ?? '';
      const responses = await Promise.all(
        Array.from({ length: 20 }, () => postToken({ code, code_verifier: verifier })),
      );
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(responses.filter(({ status }) => status === 400)).toHaveLength(19);
    }
  });

  it('rejects a code of another client, and leaves it to its owner (A-118)', async () => {
    const { url, verifier } = await authorized(config);
    const code = url.searchParams.get('code') ?? '';
    const stolen = await postToken({ code, code_verifier: verifier, client_id: 'e2e-exact' });
    expect(await rejectionOf(stolen)).toBe('400 invalid_grant');
    expect((await postToken({ code, code_verifier: verifier })).status).toBe(200);
  });

  async function authorized(
    configuration: client.Configuration,
  ): Promise<{ url: URL; verifier: string; request: URL }> {
    const request = await prepareRequest(configuration);
    const { url } = await reachClient(new FormBrowser(), request.url);
    return { url, verifier: request.verifier, request: request.url };
  }
});
