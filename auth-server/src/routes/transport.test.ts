import { connect } from 'node:net';
import { latencyBudgetMs } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { obtainTokens, postForm } from '../testing/flow.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer();
});
afterAll(() => server.stop());

const POST_ENDPOINTS = [
  'authorize',
  'token',
  'revoke',
  'introspect',
  'login',
  'consent',
  'logout',
  'userinfo',
];

/** Sends bytes that no HTTP client would, and returns the status of the response. */
function sendRaw(path: string, body: Buffer | string): Promise<number> {
  const { hostname, port } = new URL(server.issuer);
  const payload = Buffer.from(body);
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${payload.length}`,
    'Connection: close',
    '',
    '',
  ].join('\r\n');
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(Buffer.concat([Buffer.from(head), payload])),
    );
    let result = '';
    socket.on('data', (chunk) => {
      result += chunk.toString();
    });
    socket.on('end', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(result)?.[1])));
    socket.on('error', reject);
  });
}

describe('robustness', () => {
  it('A-008 answers an unknown path with a clean 404 and shows no banner', async () => {
    const response = await fetch(`${server.issuer}/no/such/path`);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ error: 'not_found' });
    expect(response.headers.get('server')).toBeNull();
    expect(response.headers.get('x-powered-by')).toBeNull();
  });

  it.each(POST_ENDPOINTS)('A-009 /%s rejects 5 MB and 20,000 parameters quickly, and lives', async (path) => {
    const start = performance.now();
    const large = await fetch(`${server.issuer}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `x=${'y'.repeat(5_000_000)}`,
    });
    expect(large.status).toBe(413);
    const many = await fetch(`${server.issuer}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'a&'.repeat(20_000),
    });
    expect(many.status).toBeGreaterThanOrEqual(400);
    expect(many.status).toBeLessThan(500);
    expect(performance.now() - start).toBeLessThan(latencyBudgetMs(2_000));
    expect((await fetch(`${server.issuer}/health/live`)).status).toBe(200);
  });

  it('A-009 rejects a query of 100 KB', async () => {
    const response = await fetch(`${server.issuer}/authorize?x=${'y'.repeat(100_000)}`);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
  });

  it.each(['?client_id=%', '?client_id=%zz', '?client_id=%ff', '?client_id=%00', '?%c3%28=x'])(
    'A-010 answers /authorize%s with a page of 4xx',
    async (query) => {
      const response = await fetch(`${server.issuer}/authorize${query}`);
      expect(response.status).toBe(400);
      expect(response.headers.get('content-type')).toContain('text/html');
    },
  );

  it.each(POST_ENDPOINTS)('A-010 /%s answers bytes that are not UTF-8, and NUL, with 4xx', async (path) => {
    for (const body of [Buffer.from([0x61, 0x3d, 0xff, 0xfe]), Buffer.from('a=\0'), 'a=%ff', 'a=%']) {
      const status = await sendRaw(`/${path}`, body);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
    }
  });

  it('A-010 answers a malformed path with 4xx', async () => {
    const response = await fetch(`${server.issuer}/authorize/resume/%ff`);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
  });

  it('A-011 is not impressed by names and values of the prototype', async () => {
    const form = new URLSearchParams([
      ['grant_type', 'constructor'],
      ['__proto__', 'x'],
      ['client_id', '__proto__'],
      ['client_id[$ne]', 'x'],
    ]);
    const result = await postForm(`${server.issuer}/token`, form);
    expect(result.body['error']).toBe('unsupported_grant_type');
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('A-094 reveals nothing of the inside, and logs no secret', async () => {
    const tokens = await obtainTokens(server.issuer);
    await postForm(`${server.issuer}/token`, {
      grant_type: 'refresh_token',
      client_id: 'spa',
      refresh_token: `${tokens.refreshToken}x`,
    });
    const log = server.log.join('');
    for (const secret of [tokens.accessToken, tokens.refreshToken, tokens.idToken, 'correct horse']) {
      expect(log).not.toContain(secret);
    }
  });
});
