import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createIssuerDiscovery, metadataUrls, type IssuerDiscovery } from './discover-issuer.ts';

let server: Server;
let origin: string;
let responses: Record<string, { readonly status?: number; readonly body: unknown }>;
let requests: string[];
let nowMs: number;

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    const { status = 200, body } = responses[request.url ?? ''] ?? { status: 404, body: 'none' };
    if (body === undefined) return;
    response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {});
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  responses = {};
  requests = [];
  nowMs = 1_000_000;
});

const OIDC = '/.well-known/openid-configuration';
const OAUTH = '/.well-known/oauth-authorization-server';

/** All but http addresses of other machines. */
const isTrusted = (url: string): boolean => /^https:|^http:\/\/127\.0\.0\.1:/.test(url);

function discover(issuer: string): IssuerDiscovery {
  return createIssuerDiscovery({
    issuer,
    isTrusted,
    timeoutMs: 300,
    now: () => nowMs,
    maxPauseMs: () => 2_000,
  });
}

const metadataOf = (issuer: string): object => ({
  issuer,
  jwks_uri: 'https://keys.example/jwks',
  introspection_endpoint: 'https://id.example/introspect',
});

describe('The metadata of an issuer', () => {
  it.each([
    ['at the root', '', OIDC],
    ['of OAuth at the root', '', OAUTH],
    ['behind a path', '/realms/staff', `/realms/staff${OIDC}`],
    ['of OAuth before a path', '/realms/staff', `${OAUTH}/realms/staff`],
    ['before a path', '/realms/staff', `${OIDC}/realms/staff`],
    ['of an issuer with a slash at its end', '/', OIDC],
  ])('are found %s', async (_where, path, at) => {
    responses[at] = { body: metadataOf(origin + path) };
    expect(await discover(origin + path).metadata()).toEqual({
      jwksUrl: 'https://keys.example/jwks',
      introspectionUrl: 'https://id.example/introspect',
    });
  });

  it('are looked for nowhere else', () => {
    expect(metadataUrls('https://id.example/a/')).toEqual([
      `https://id.example/a${OIDC}`,
      `https://id.example${OAUTH}/a`,
      `https://id.example${OIDC}/a`,
    ]);
  });

  it.each<[string, unknown, RegExp]>([
    [
      'of another issuer',
      { ...metadataOf('https://evil.example') },
      /are of the issuer "https:\/\/evil.example"/,
    ],
    ['of an issuer with a slash more', { issuer: 'SLASH' }, /character by character/],
    ['without an issuer', { jwks_uri: 'https://a.example' }, /\(none\)/],
    [
      'with keys that come by http',
      { issuer: 'OWN', jwks_uri: 'http://keys.example/' },
      /jwks_uri that is no https/,
    ],
    ['with keys in a file', { issuer: 'OWN', jwks_uri: 'file:///etc/passwd' }, /no https/],
    ['with keys that are no address', { issuer: 'OWN', jwks_uri: ['https://a.example'] }, /no https/],
    ['that are a list', [metadataOf('x')], /\(none\)/],
    ['that are garbage', '<html>', /JSON/],
    ['that are too large', `"${'x'.repeat(300_000)}"`, /larger than/],
    ['that never come', undefined, /aborted|timeout/i],
  ])('%s are none', async (_what, body, message) => {
    const text = JSON.stringify(body)?.replace('OWN', origin).replace('SLASH', `${origin}/`);
    responses[OIDC] = { body: typeof body === 'string' ? body : text };
    await expect(discover(origin).metadata()).rejects.toThrow(message);
  });

  it('S-065 are not looked for where a response points to', async () => {
    responses[OIDC] = { status: 302, body: 'moved' };
    await expect(discover(origin).metadata()).rejects.toThrow('302');
    expect(requests).toEqual([OIDC]);
  });

  it('that are nowhere ask for jwksUrl, in a sentence', async () => {
    await expect(discover(`${origin}/a`).metadata()).rejects.toThrow(
      `The issuer ${origin}/a has no metadata at ${origin}/a${OIDC} or ${origin}${OAUTH}/a or ${origin}${OIDC}/a. Set jwksUrl of authentication.issuers.`,
    );
  });

  it('are fetched once for all who ask, and again when they are old', async () => {
    responses[OIDC] = { body: metadataOf(origin) };
    const discovery = discover(origin);
    await Promise.all([discovery.metadata(), discovery.metadata(), discovery.metadata()]);
    expect(requests).toHaveLength(1);
    nowMs += 3_600_001;
    responses[OIDC] = { body: { ...metadataOf(origin), jwks_uri: 'https://new.example/' } };
    expect((await discovery.metadata()).jwksUrl).toBe('https://new.example/');
  });

  it('stay in use while the issuer is unavailable', async () => {
    responses[OIDC] = { body: metadataOf(origin) };
    const discovery = discover(origin);
    await discovery.metadata();
    nowMs += 3_600_001;
    responses[OIDC] = { status: 500, body: 'down' };
    for (let index = 0; index < 5; index += 1)
      expect((await discovery.metadata()).jwksUrl).toBe('https://keys.example/jwks');
    expect(requests).toHaveLength(2);
  });

  it('are asked for less and less often while the issuer is unavailable, and then at once', async () => {
    responses[OIDC] = { status: 503, body: 'down' };
    const discovery = discover(origin);
    const asked: number[] = [];
    for (let ms = 0; ms < 8_000; ms += 250) {
      await discovery.metadata().catch(() => undefined);
      if (requests.length > asked.length) asked.push(ms);
      nowMs += 250;
    }
    expect(asked).toEqual([0, 250, 750, 1_750, 3_750, 5_750, 7_750]);
    responses[OIDC] = { body: metadataOf(origin) };
    nowMs += 2_000;
    expect((await discovery.metadata()).jwksUrl).toBe('https://keys.example/jwks');
  });
});
