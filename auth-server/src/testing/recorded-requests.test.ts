import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Browser, readForm } from '@trellis/testkit/sign-in';
import { createLocalJWKSet, decodeJwt, jwtVerify, SignJWT, type JSONWebKeySet } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { basic, completePages } from './flow.ts';
import { runCommand } from './run-command.ts';
import { CLIENT_SECRET } from './test-clients.ts';
import { startTestAuthServer, type TestAuthServer } from './test-auth-server.ts';

const ASPNET_CALLBACK = 'https://app.example/signin-oidc';
const SPRING_CALLBACK = 'https://app.example/login/oauth2/code/trellis';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer();
  const aspnet = { redirect_uris: [ASPNET_CALLBACK], client_secret: CLIENT_SECRET };
  const spring = { redirect_uris: [SPRING_CALLBACK], pkce_exempt: true };
  await add({ ...aspnet, client_id: 'aspnet', token_endpoint_auth_method: 'client_secret_post' });
  await add({ ...spring, client_id: 'spring', client_secret: CLIENT_SECRET });
  await add({
    ...spring,
    client_id: 'spring-key',
    jwks: { keys: [server.assertionKey.publicJwk] },
    token_endpoint_audience: true,
  });
});
afterAll(() => server.stop());

async function add(metadata: object): Promise<void> {
  const outcome = await runCommand(server, ['clients', 'add', '--metadata-stdin'], JSON.stringify(metadata));
  expect(outcome).toMatchObject({ status: 0 });
}

interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The requests of a file, apart by `###`: request line, headers, an empty line, body; `#` begins a comment. */
function readRequests(name: string): readonly string[] {
  const text = readFileSync(new URL(`recorded-requests/${name}.http`, import.meta.url), 'utf8');
  return text
    .replaceAll(/^# .*\n/gm, '')
    .split('###\n')
    .map((request) => request.trim());
}

/** A request with its places filled. @param values by the names in braces */
function fill(request: string | undefined, values: Readonly<Record<string, string>>): RecordedRequest {
  const text = (request ?? '').replaceAll(/\{(\w+)\}/g, (_place, name: string) => {
    return values[name] ?? expect.fail(`no value for ${name}`);
  });
  const [head = '', body = ''] = text.split('\n\n', 2);
  const [first = '', ...lines] = head.split('\n');
  const [method = '', url = ''] = first.split(' ', 2);
  const headers = lines.map((line) => line.split(/: (.*)/s, 2) as [string, string]);
  return { method, url, headers: Object.fromEntries(headers), body };
}

async function send({ method, url, headers, body }: RecordedRequest): Promise<Record<string, unknown>> {
  const response = await fetch(url, { method, headers, ...(method === 'POST' && { body }) });
  const result = (await response.json()) as Record<string, unknown>;
  expect(response.status, JSON.stringify(result)).toBeLessThan(300);
  return result;
}

/** Reads the keys where discovery says that they are, as the library asks for both. */
async function discover(
  discovery: string | undefined,
  keys: string | undefined,
): Promise<{ readonly metadata: Record<string, unknown>; readonly keySet: JSONWebKeySet }> {
  const metadata = await send(fill(discovery, { issuer: server.issuer }));
  expect(metadata['issuer']).toBe(server.issuer); // both libraries reject any other
  const keySet = await send(fill(keys, { jwks_uri: String(metadata['jwks_uri']) }));
  return { metadata, keySet: keySet as unknown as JSONWebKeySet };
}

async function visit({ url }: RecordedRequest): Promise<Response> {
  const browser = new Browser();
  return completePages(browser, await browser.get(url), server.issuer);
}

describe('M12: ASP.NET Core, as it asks by default', () => {
  const [push, pushed, plain, redeem, discovery, keys] = readRequests('aspnet-core');
  const values = (): Record<string, string> => ({
    issuer: server.issuer,
    client_id: 'aspnet',
    secret: encodeURIComponent(CLIENT_SECRET),
  });

  async function finish(page: Response): Promise<void> {
    expect(page.status).toBe(200);
    const { action, fields } = readForm(await page.text(), page.url);
    expect(action).toBe(ASPNET_CALLBACK);
    expect(fields['state']).toBe('CfDJ8Nk3_aSxQ0Vb5p2Jm9y-recorded-state');
    const tokens = await send(fill(redeem, { ...values(), code: fields['code'] ?? '' }));
    const { metadata, keySet } = await discover(discovery, keys);
    expect(metadata['pushed_authorization_request_endpoint']).toBe(`${server.issuer}/par`);
    const { payload } = await jwtVerify(String(tokens['id_token']), createLocalJWKSet(keySet), {
      issuer: server.issuer,
      audience: 'aspnet',
    });
    expect(payload['nonce']).toMatch(/^638712345678901234\./);
  }

  it('signs in by a pushed request, answered by a form', async () => {
    const result = await send(fill(push, values()));
    const requestUri = encodeURIComponent(String(result['request_uri']));
    await finish(await visit(fill(pushed, { ...values(), request_uri: requestUri })));
  });

  it('signs in by a request in the address, answered by a form', async () => {
    await finish(await visit(fill(plain, values())));
  });
});

describe('M12: Spring Security, as it asks by default', () => {
  const [ask, redeemBySecret, redeemByKey, discovery, keys, userinfo] = readRequests('spring-security');

  async function codeOf(clientId: string): Promise<string> {
    const result = await visit(fill(ask, { issuer: server.issuer, client_id: clientId }));
    const location = new URL(result.headers.get('location') ?? '');
    expect(location.origin + location.pathname).toBe(SPRING_CALLBACK);
    expect(location.searchParams.get('state')).toBe('q8w0rG0Cq1b6nQ3oZkq8m0Jp1T3rZb2xV7yK5dLw9hE=');
    return location.searchParams.get('code') ?? expect.fail(location.search);
  }

  it('finds endpoints and keys by discovery, signs in with a secret and without PKCE, and asks for the claims', async () => {
    const code = await codeOf('spring');
    const { authorization = '' } = basic('spring');
    const tokens = await send(fill(redeemBySecret, { issuer: server.issuer, code, basic: authorization }));
    expect(decodeJwt(String(tokens['id_token']))['nonce']).toMatch(/^Yx0lJ7f2/);
    const { metadata, keySet } = await discover(discovery, keys);
    const idToken = await jwtVerify(String(tokens['id_token']), createLocalJWKSet(keySet), {
      issuer: server.issuer,
      audience: 'spring',
    });
    const endpoint = String(metadata['userinfo_endpoint']);
    const values = { userinfo_endpoint: endpoint, access_token: String(tokens['access_token']) };
    const claims = await send(fill(userinfo, values));
    expect([claims['sub'], claims['name']]).toEqual([idToken.payload.sub, 'Ada Marlow']);
  });

  it('signs in with a key, and assertions for the token endpoint', async () => {
    const code = await codeOf('spring-key');
    const assertion = await new SignJWT({ jti: randomUUID() })
      .setProtectedHeader({ alg: 'ES256', kid: 'client-key' })
      .setIssuer('spring-key')
      .setSubject('spring-key')
      .setAudience(`${server.issuer}/token`)
      .setIssuedAt()
      .setExpirationTime('60s')
      .sign(server.assertionKey.privateKey);
    const tokens = await send(fill(redeemByKey, { issuer: server.issuer, code, assertion }));
    expect(tokens['access_token']).toBeDefined();
  });
});
