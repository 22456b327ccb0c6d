import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { createPool } from '@trellis/postgres';
import { createTestDatabase, latencyBudgetMs } from '@trellis/testkit';
import { Browser } from '@trellis/testkit/sign-in';
import { describe, expect, it } from 'vitest';
import {
  authorizationUrl,
  createPkce,
  exchange,
  obtainCode,
  obtainTokens,
  postForm,
  refresh,
  submitSignIn,
} from '../testing/flow.ts';
import { startTestAuthServer } from '../testing/test-auth-server.ts';

describe('a store that is unavailable', () => {
  it('A-014 A-002 responds with 503 with Retry-After while Redis is unavailable, without hanging, and recovers', async () => {
    const own = await startTestAuthServer();
    try {
      const tokens = await obtainTokens(own.issuer);
      const refresh = () =>
        postForm(`${own.issuer}/token`, {
          grant_type: 'refresh_token',
          client_id: 'spa',
          refresh_token: tokens.refreshToken,
        });
      await own.redis.stop();
      const start = performance.now();
      const token = await refresh();
      expect(token.status).toBe(503);
      expect(token.body['error']).toBe('temporarily_unavailable');
      expect(Number(token.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(token.headers.get('cache-control')).toBe('no-store');
      // The request itself is sealed and needs no Redis; the sign-in page that it leads to does.
      const browser = new Browser();
      const first = await browser.get(authorizationUrl(own.issuer, createPkce()));
      const page = await browser.follow(first, own.issuer);
      expect(page.status).toBe(503);
      expect(page.headers.get('retry-after')).not.toBeNull();
      const userinfo = await fetch(`${own.issuer}/userinfo`, {
        headers: { authorization: `Bearer ${tokens.accessToken}` },
      });
      expect(userinfo.status).toBe(503);
      expect(performance.now() - start).toBeLessThan(latencyBudgetMs(9_000));
      expect((await fetch(`${own.issuer}/jwks.json`)).status).toBe(200);
      expect((await fetch(`${own.issuer}/health/ready`)).status).toBe(503);
      await own.redis.restart();
      await expect.poll(() => fetch(`${own.issuer}/health/ready`).then(({ status }) => status)).toBe(200);
      expect([200, 400]).toContain((await refresh()).status);
      expect((await obtainTokens(own.issuer)).accessToken).toBeTruthy();
    } finally {
      await own.stop();
    }
  });

  it('F-08 hands out no token that a failover could undo', async () => {
    const own = await startTestAuthServer({ REDIS_REPLICAS: '1' });
    try {
      const pkce = createPkce();
      const code = await obtainCode(own.issuer, pkce);
      const response = await exchange(own.issuer, code, pkce);
      expect(response.status).toBe(503);
      expect(response.body).toMatchObject({ error: 'temporarily_unavailable' });
      expect(response.headers.get('retry-after')).not.toBeNull();
    } finally {
      await own.stop();
    }
  });

  it('A-014 responds with 503 with Retry-After while PostgreSQL is unavailable, uses no token up, and recovers', async () => {
    const database = await createTestDatabase();
    const way = await openWay(database.connectionString);
    const own = await startTestAuthServer({ DATABASE_URL: way.url });
    try {
      const tokens = await obtainTokens(own.issuer);
      way.close();
      const rejected = await refresh(own.issuer, tokens.refreshToken);
      expect(rejected.status).toBe(503);
      expect(rejected.body['error']).toBe('temporarily_unavailable');
      expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await fetch(`${own.issuer}/jwks.json`)).status).toBe(200);
      way.open();
      expect((await refresh(own.issuer, tokens.refreshToken)).status).toBe(200);
    } finally {
      await own.stop();
      await way.stop();
      await database.drop();
    }
  });
});

describe('a failure inside', () => {
  it('S-101 A-008 A-094 is reported in general terms, in JSON and on pages', async () => {
    const own = await startTestAuthServer();
    const pool = createPool({ connectionString: own.environment['DATABASE_URL'] ?? '', schema: 'auth' });
    try {
      const tokens = await obtainTokens(own.issuer);
      const browser = new Browser();
      const first = await browser.get(authorizationUrl(own.issuer, createPkce()));
      const signIn = await browser.follow(first, own.issuer);
      await pool.query('ALTER TABLE account RENAME TO elsewhere');
      const response = await refresh(own.issuer, tokens.refreshToken);
      expect(response.status).toBe(500);
      expect(response.body).toEqual({
        error: 'server_error',
        error_description: 'Something failed inside.',
      });
      const page = await submitSignIn(browser, signIn, 'ada@example.com', 'any password');
      expect(page.status).toBe(500);
      const text = await page.text();
      expect(text).toContain('server_error');
      expect(text.replaceAll(/(?:href|src)="[^"]*"/g, '')).not.toMatch(
        /relation|SELECT|account"|elsewhere|node_modules|\.ts|127\.0\.0\.1:\d+/,
      );
      expect(own.log.join('')).toContain('relation \\"account\\" does not exist');
    } finally {
      await pool.end();
      await own.stop();
    }
  });
});

/** A way to a database that can be closed: connections are broken then, and rejected. */
async function openWay(connectionString: string): Promise<{
  readonly url: string;
  open(): void;
  close(): void;
  stop(): Promise<void>;
}> {
  const url = new URL(connectionString);
  const { hostname, port } = url;
  const sockets = new Set<Socket>();
  let isOpen = true;
  const server = createServer((socket) => {
    if (!isOpen) return void socket.destroy();
    const onward = connect(Number(port), hostname);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy() && sockets.delete(one));
      one.pipe(other);
    }
    return undefined;
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port); // it listens on a port
  const close = (): void => {
    isOpen = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    open: () => {
      isOpen = true;
    },
    close,
    stop: async () => {
      close();
      server.close();
      await once(server, 'close');
    },
  };
}
