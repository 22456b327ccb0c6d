import { once } from 'node:events';
import WebSocket from 'ws';
import { describe, expect, it } from 'vitest';
import { type TestGateway } from '../../testing/test-gateway.ts';
import { stageLibrary } from '../../testing/library-stage.ts';

const library = stageLibrary();

const PUBLIC = { query: '{ public }' };

/** What becomes of a WebSocket that a page opens. */
async function webSocketFrom(gateway: TestGateway, origin: string): Promise<string> {
  const address = `${gateway.url.replace('http', 'ws')}/graphql`;
  const socket = new WebSocket(address, 'graphql-transport-ws', { origin });
  const events = ['open', 'unexpected-response'] as const;
  const outcome = await Promise.race(events.map((event) => once(socket, event).then(() => event)));
  socket.on('error', () => undefined).terminate();
  return outcome;
}

describe('CORS', () => {
  const preflight = (gateway: TestGateway, origin: string): Promise<Response> =>
    fetch(`${gateway.url}/graphql`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    });

  it('lets the configured origins in, and no others', async () => {
    const gateway = await library.start({
      settings: 'http: { cors: { origins: ["https://app.example"], credentials: true, maxAgeS: 60 } }',
    });
    const allowed = await preflight(gateway, 'https://app.example');
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(allowed.headers.get('access-control-allow-credentials')).toBe('true');
    expect(allowed.headers.get('access-control-max-age')).toBe('60');
    for (const origin of [
      'https://evil.example',
      'https://app.example.evil.example',
      'null',
      'http://app.example',
    ]) {
      expect((await preflight(gateway, origin)).headers.get('access-control-allow-origin')).not.toBe(origin);
    }
    const result = await gateway.post(PUBLIC, { origin: 'https://app.example' });
    expect(result.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(result.headers.get('access-control-expose-headers')).toContain('www-authenticate');
  });

  it('A2: lets loopback origins in during development, without cookies, and no others', async () => {
    const gateway = await library.start({});
    for (const origin of [
      'http://localhost:5173',
      'http://127.0.0.1:3000',
      'https://localhost',
      'http://[::1]:8080',
    ]) {
      const { status, headers } = await preflight(gateway, origin);
      expect([status, headers.get('access-control-allow-origin')]).toEqual([204, origin]);
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      const result = await gateway.post(PUBLIC, { origin });
      expect([result.status, result.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
      expect(result.headers.get('vary')).toContain('Origin');
      expect(await webSocketFrom(gateway, origin)).toBe('open');
    }
    for (const origin of [
      'https://app.example',
      'http://localhost.evil.example',
      'http://evil.example#http://localhost',
      'http://localhost@evil.example',
      'http://127.0.0.1.evil.example',
      'ftp://localhost',
      'http://localhost:5173/',
      'null',
      '',
    ])
      expect((await preflight(gateway, origin)).headers.get('access-control-allow-origin')).toBeNull();
  });

  it('A2: lets loopback origins in nowhere else: in production, or beside http.cors', async () => {
    const origin = 'http://localhost:5173';
    const production = await library.start({ environment: { NODE_ENV: 'production' } });
    const configured = await library.start({
      settings: 'http: { cors: { origins: ["https://app.example"] } }',
    });
    for (const gateway of [production, configured]) {
      expect((await preflight(gateway, origin)).headers.get('access-control-allow-origin')).toBeNull();
      expect((await gateway.post(PUBLIC, { origin })).headers.get('access-control-allow-origin')).toBeNull();
      expect(await webSocketFrom(gateway, origin)).toBe('unexpected-response');
    }
  });

  it('says nothing where it is not configured', async () => {
    const gateway = await library.start({});
    const result = await gateway.post(PUBLIC, { origin: 'https://app.example' });
    expect(result.headers.get('access-control-allow-origin')).toBeNull();
    expect(
      (await preflight(gateway, 'https://app.example')).headers.get('access-control-allow-origin'),
    ).toBeNull();
  });
});
