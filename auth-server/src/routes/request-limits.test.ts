import { connectRedis, type RedisConnection } from '@trellis/redis';
import { Browser } from '@trellis/testkit/sign-in';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorizationUrl, basic, createPkce, postForm } from '../testing/flow.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';
import { endpointBudgets } from './endpoint-budgets.ts';

const REGISTRATION_TOKEN = 'q3Zt7LkX9vB2nM5cR8wY1sD4fG6hJ0pA';

let server: TestAuthServer;
let redis: RedisConnection;
let networks = 0;
beforeAll(async () => {
  server = await startTestAuthServer({
    REQUESTS_PER_ADDRESS: '100',
    ANONYMOUS_STORE_BYTES: '1048576',
    TRUSTED_PROXIES: '127.0.0.1',
    ADMIN_API: 'true',
    SIGN_UP: 'true',
    MAIL_URL: 'log:',
    REGISTRATION_TOKEN,
  });
  redis = connectRedis({ url: server.redis.url, name: 'test', onError: () => undefined });
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

/** Headers of a network that has sent nothing yet. */
function newNetwork(): Record<string, string> {
  networks += 1;
  return { 'x-forwarded-for': `10.${networks >> 8}.${networks & 255}.1` };
}

function send(endpoint: string, headers: Record<string, string>): Promise<Response> {
  const [method = '', path = ''] = endpoint.split(' ');
  return fetch(`${server.issuer}${path}`, { method, headers, redirect: 'manual' });
}

/** More rounds than a limit lasts, on a busy machine too: some requests come back meanwhile. */
const PATIENT_ROUNDS = 100;
/** Requests enough for any limit, where nothing else is slow. */
const FREE_ROUNDS = 15;

/** Sends requests together until one is limited. */
async function sendUntilLimited(
  endpoint: string,
  headers: Record<string, string>,
  rounds = PATIENT_ROUNDS,
): Promise<Response | undefined> {
  for (let round = 0; round < rounds; round += 1) {
    const responses = await Promise.all(Array.from({ length: 10 }, () => send(endpoint, headers)));
    const limited = responses.find(({ status }) => status === 429);
    if (limited) return limited;
  }
  return undefined;
}

const endpoints = Object.entries(endpointBudgets);
const limited = endpoints.filter(([, decision]) => decision !== 'free').map(([endpoint]) => endpoint);
const free = endpoints.filter(([, decision]) => decision === 'free').map(([endpoint]) => endpoint);

describe('H2: every endpoint', () => {
  it.each(endpoints)('%s of the table exists', async (endpoint) => {
    const { status } = await send(endpoint, newNetwork());
    expect([404, 405]).not.toContain(status);
  });

  it.each(limited)('%s has a limit for one network, and none is left over to others', async (endpoint) => {
    const headers = newNetwork();
    const rejected = await sendUntilLimited(endpoint, headers);
    expect(Number(rejected?.headers.get('retry-after'))).toBeGreaterThan(0);
    const text = (await rejected?.text()) ?? '';
    if (rejected?.headers.get('content-type')?.startsWith('text/html')) expect(text).toContain('<h1>');
    else expect(JSON.parse(text)).toMatchObject({ error: 'too_many_requests' });
    expect(text).toMatch(/Too many requests from this network\. Try again in \d+ s\./);
    expect((await send(endpoint, newNetwork())).status).not.toBe(429);
  });

  it.each(free)('%s is answered from memory, without a limit', async (endpoint) => {
    expect(await sendUntilLimited(endpoint, newNetwork(), FREE_ROUNDS)).toBeUndefined();
  });

  it('of the admin API has a limit', async () => {
    const rejected = await sendUntilLimited('GET /admin/accounts', newNetwork());
    expect(rejected?.status).toBe(429);
  });

  it('that clients call lets pages of other origins read when to come back', async () => {
    const rejected = await sendUntilLimited('POST /token', newNetwork());
    expect(rejected?.headers.get('access-control-allow-origin')).toBe('*');
    expect(rejected?.headers.get('access-control-expose-headers')).toContain('Retry-After');
  });
});

describe('H2: the limits', () => {
  it('of a group are shared: a flood of tokens leaves the sign-in page as it is', async () => {
    const headers = newNetwork();
    await sendUntilLimited('POST /token', headers);
    // Some come back meanwhile, fewer than another group would have.
    const revocations = await Promise.all(Array.from({ length: 50 }, () => send('POST /revoke', headers)));
    expect(revocations.map(({ status }) => status)).toContain(429);
    const page = await new Browser().get(authorizationUrl(server.issuer, createPkce()), headers);
    expect(page.status).toBe(303);
  });

  it('hold for a whole /24, /64 and /48, and for no port', async () => {
    for (const addressOf of [
      (index: number) => `172.16.1.${index % 250}`,
      (index: number) => `2001:db8:7:${(index % 250).toString(16)}::1`,
      (index: number) => `[2001:db8:8:1::1]:${40_000 + index}`,
    ]) {
      const statuses = new Set<number>();
      for (let round = 0; round < PATIENT_ROUNDS; round += 1) {
        const responses = await Promise.all(
          Array.from({ length: 100 }, (_, index) =>
            send('POST /token', { 'x-forwarded-for': addressOf(round * 100 + index) }),
          ),
        );
        for (const { status } of responses) statuses.add(status);
        if (statuses.has(429)) break;
      }
      expect(statuses).toContain(429);
    }
  });

  it('are paid by a client that proves who it is, and not by its network', async () => {
    const headers = { ...newNetwork(), ...basic('basic') };
    const responses = await Promise.all(
      Array.from({ length: 90 }, () => postForm(`${server.issuer}/introspect`, { token: 'x' }, headers)),
    );
    const again = await Promise.all(
      Array.from({ length: 90 }, () => postForm(`${server.issuer}/introspect`, { token: 'x' }, headers)),
    );
    expect(new Set([...responses, ...again].map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('of room leave some for a public client that comes new, whatever others push', async () => {
    const push = (headers: Record<string, string>, state = ''): ReturnType<typeof postForm> => {
      const url = authorizationUrl(server.issuer, createPkce(), { state });
      return postForm(`${server.issuer}/par`, new URL(url).searchParams, headers);
    };
    const statuses = new Set<number>();
    for (let network = 0; network < 60; network += 1) {
      const headers = newNetwork();
      const responses = await Promise.all(Array.from({ length: 12 }, () => push(headers, 'x'.repeat(2_000))));
      for (const { status } of responses) statuses.add(status);
    }
    expect(statuses).toEqual(new Set([201, 429]));
    expect((await push(newNetwork())).status).toBe(201);
    const memory = /used_memory_dataset:(\d+)/.exec(await redis.info('memory'))?.[1];
    expect(Number(memory)).toBeLessThan(4_000_000);
  });
});
