import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authServer } from '@trellis/auth-server';
import { gateway } from '@trellis/gateway';
import { createPool, queryChecked, type Pool } from '@trellis/postgres';
import {
  generateRecordKey,
  HttpStore,
  openRegistry,
  parseLogName,
  registryTokens,
  TrustedKeys,
  verifyLog,
} from '@trellis/registry';
import { createLogger, createMetrics, type Deployable } from '@trellis/runtime';
import {
  createTestDatabase,
  freePort,
  startTestRedis,
  type TestDatabase,
  type TestRedis,
} from '@trellis/testkit';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runRegistryAction } from '../publish/run-command.ts';
import { publishCommand, type PublishOptions } from '../publish/publish-command.ts';
import { promoteCommand, rollbackCommand } from '../publish/move-commands.ts';
import { historyCommand, verifyCommand } from '../publish/read-commands.ts';
import { PostgresStore } from './postgres-store.ts';
import { serveRegistry, type RunningRegistry } from './serve-registry.ts';

const AUDIENCE = 'https://registry.example/';
const SECRET = 'a secret that is long enough to be good';
const LINK = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])\n';
const TWICE = '{"name":"posts","sdl":"","source":""}';
const silent = createLogger({ service: 'test', destination: { write: () => undefined } });
const log = parseLogName('content@production');
const signal = AbortSignal.timeout(120_000);

let databases: readonly TestDatabase[];
let redis: TestRedis;
let issuer: Deployable;
let registry: RunningRegistry;
let pool: Pool;
let folder: string;
let environment: Readonly<Record<string, string>>;

const scopes: Readonly<Record<string, string>> = {
  users: 'graph:read graph:publish:users',
  posts: 'graph:read graph:publish:posts',
  operator: 'graph:read graph:publish:* graph:promote:production',
  reader: 'graph:read',
  bound: 'graph:read',
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'registry-server-'));
  databases = await Promise.all([createTestDatabase(), createTestDatabase()]);
  redis = await startTestRedis();
  const [forIssuer, forRegistry] = databases.map(({ connectionString }) => connectionString);
  const issuerUrl = await startIssuer(forIssuer ?? '');
  const key = await generateRecordKey();
  const server = {
    DATABASE_URL: forRegistry ?? '',
    TRELLIS_SIGNING_KEY: JSON.stringify(key),
    TRELLIS_REGISTRY_ISSUER: issuerUrl,
    TRELLIS_REGISTRY_AUDIENCE: AUDIENCE,
  };
  registry = await serveRegistry({ port: '0' }, server);
  pool = createPool({ connectionString: forRegistry ?? '', schema: 'registry' });
  environment = {
    TRELLIS_REGISTRY: registry.url,
    TRELLIS_GRAPH: 'content@production',
    TRELLIS_REGISTRY_TRUST: JSON.stringify({ keys: [key] }),
    TRELLIS_REGISTRY_ISSUER: issuerUrl,
    TRELLIS_REGISTRY_AUDIENCE: AUDIENCE,
    TRELLIS_REGISTRY_CLIENT_SECRET: SECRET,
  };
});

afterAll(async () => {
  await pool.end();
  await registry.close();
  await issuer.close();
  await redis.stop();
  await Promise.all(databases.map((database) => database.drop()));
  rmSync(folder, { recursive: true });
});

async function startIssuer(connectionString: string): Promise<string> {
  const clients = Object.entries(scopes).map(([client_id, scope]) => ({
    client_id,
    client_secret: SECRET,
    grant_types: ['client_credentials'],
    scope,
    ...(client_id === 'bound' && { dpop_bound_access_tokens: true }),
  }));
  const file = join(folder, 'clients.json');
  writeFileSync(file, JSON.stringify(clients));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = authServer.readConfig({
    PORT: String(port),
    ISSUER: url,
    AUDIENCES: AUDIENCE,
    API_SCOPES: 'graph:read graph:publish:* graph:promote:* usage:write',
    DATABASE_URL: connectionString,
    REDIS_URL: redis.url,
    CLIENTS_FILE: file,
    KEY_ENCRYPTION_SECRET: randomBytes(32).toString('base64url'),
    COOKIE_SECRET: randomBytes(32).toString('base64url'),
  });
  issuer = await authServer.start(config, { logger: silent, metrics: createMetrics('auth-server') });
  return url;
}

type Action = Parameters<typeof runRegistryAction>[0];

async function as(client: string, action: unknown, options: object = {}) {
  let [out, error] = ['', ''];
  const env = { ...environment, TRELLIS_REGISTRY_CLIENT_ID: client };
  const output = { out: (text: string) => (out += text), error: (text: string) => (error += text) };
  return { status: await runRegistryAction(action as Action, options, env, output), out, error }; // options go with the action
}

function publish(client: string, subgraph: string, sdl: string, more: PublishOptions = {}) {
  const schema = join(folder, `${subgraph}.graphql`);
  writeFileSync(schema, LINK + sdl);
  return as(client, publishCommand, { subgraph, schema, routingUrl: `http://${subgraph}.test/`, ...more });
}

async function tokenOf(client: string): Promise<string> {
  return (await registryTokens({ ...environment, TRELLIS_REGISTRY_CLIENT_ID: client })?.()) ?? '';
}

describe('A registry over HTTP', () => {
  it('publishes for those who have the scope of the subgraph', async () => {
    expect(await publish('users', 'users', 'type Query { me: Int you: Int }')).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^published: content@production 1, /) as string,
    });
    expect(await publish('users', 'users', 'type Query { me: Int you: Int }')).toMatchObject({
      out: expect.stringMatching(/^already published/) as string,
    });
    expect(await publish('users', 'posts', 'type Query { posts: Int }')).toMatchObject({
      status: 77,
      error: expect.stringMatching(/^NO_RIGHT: .* no scope graph:publish:posts/) as string,
    });
    expect((await publish('posts', 'posts', 'type Query { posts: Int }')).status).toBe(0);
    const rejected = await publish('users', 'users', 'type Query { me: Int }');
    expect(rejected).toMatchObject({
      status: 1,
      out: expect.stringMatching(/FIELD_REMOVED[^]*nothing was changed/) as string,
    });
    expect((await as('reader', historyCommand)).out).toMatch(
      / 2: publish, .*by posts.*\n.* 1: publish, .*by users/,
    );
    expect((await as('reader', verifyCommand)).out).toMatch(/^verified: content@production, records: 2,/);
  });

  it('rolls back and promotes for those who have the scope of the environment', async () => {
    await publish('operator', 'users', 'type Query { me: Int you: Int we: Int }');
    expect(await as('users', rollbackCommand)).toMatchObject({
      status: 77,
      error: expect.stringContaining('graph:promote:production') as string,
    });
    expect((await as('operator', rollbackCommand)).out).toMatch(/^rolled back: content@production 4/);
    expect(await as('operator', promoteCommand, { from: 'production', to: 'staging' })).toMatchObject({
      status: 77,
    });
  });

  it('has a row for each action, rejected ones too', async () => {
    const row = { client: 'text?', action: 'text', outcome: 'text', sequence: 'int4?' } as const;
    const rows = await queryChecked(
      pool,
      row,
      'SELECT client_id AS client, action, outcome, sequence FROM audit ORDER BY id',
    );
    expect(rows.slice(0, 5)).toEqual([
      { client: 'users', action: 'publish', outcome: 'published', sequence: 1 },
      { client: 'users', action: 'publish', outcome: 'already-published', sequence: 1 },
      { client: 'users', action: 'publish', outcome: 'NO_RIGHT', sequence: null },
      { client: 'posts', action: 'publish', outcome: 'published', sequence: 2 },
      { client: 'users', action: 'publish', outcome: 'rejected', sequence: null },
    ]);
  });

  it('serves readers that verify by themselves, and lets them wait for the next record', async () => {
    const store = openRegistry(registry.url, { token: () => tokenOf('reader') });
    const trust = await TrustedKeys.parse(environment['TRELLIS_REGISTRY_TRUST'] ?? '');
    const head = await verifyLog(store, log, trust, { signal });
    const waiting = store.waitForRecord?.(log, head?.record.sequence ?? 0, signal);
    await publish('users', 'users', 'type Query { me: Int you: Int they: Int }');
    expect(await waiting).toBe((head?.record.sequence ?? 0) + 1);
    expect(await store.listLogs(signal)).toEqual([log]);
    await expect(store.createRecord(log, 99, 'x', signal)).rejects.toMatchObject({ code: 'NO_RIGHT' });
  });

  it('is followed by a gateway with the right to read', async () => {
    const [trust, config] = ['trust.json', 'gateway.yaml'].map((name) => join(folder, name)) as [
      string,
      string,
    ];
    writeFileSync(trust, environment['TRELLIS_REGISTRY_TRUST'] ?? '');
    const settings = { source: registry.url, graph: 'content@production', trust };
    writeFileSync(config, JSON.stringify({ registry: settings }));
    const following = await gateway.start(
      gateway.readConfig({
        ...environment,
        TRELLIS_REGISTRY_CLIENT_ID: 'reader',
        SUPERGRAPH: 'registry',
        CONFIG: config,
        PORT: '0',
      }),
      { logger: silent, metrics: createMetrics('gateway') },
    );
    try {
      const ready = await fetch(`${following.url}/health/ready`);
      expect(await ready.json()).toMatchObject({
        supergraph: expect.stringMatching(/^production\.\d+$/) as string,
      });
    } finally {
      await following.close();
    }
  });

  it.each([
    ['no token', undefined],
    ['a token that is none', 'Bearer nonsense'],
    ['another scheme', 'Basic dTpw'],
  ])('rejects %s with a challenge', async (_title, authorization) => {
    const headers = authorization === undefined ? {} : { authorization };
    const response = await fetch(`${registry.url}/v1/logs`, { headers });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer, DPoP']);
  });

  it('wants a token however its addresses are spelt, and leaves no row of those who have none', async () => {
    const rows = async () => queryChecked(pool, { id: 'int8' }, 'SELECT id FROM audit');
    const before = await rows();
    const path = '/%761/graphs/content/environments/production/publications';
    const sent = await fetch(`${registry.url}${path}`, { method: 'POST' });
    const read = await fetch(`${registry.url}/%76%31/logs`);
    expect([sent.status, read.status]).toEqual([401, 401]);
    expect(await rows()).toEqual(before);
  });

  it('takes a token that is bound to a key with a proof alone, and once', async () => {
    const { token, prove } = await boundToken();
    const url = `${registry.url}/v1/logs`;
    const send = async (headers: Record<string, string>) => (await fetch(url, { headers })).status;
    expect(await send({ authorization: `Bearer ${token}` })).toBe(401);
    expect(await send({ authorization: `DPoP ${token}` })).toBe(401);
    const proven = { authorization: `DPoP ${token}`, dpop: await prove('GET', url, token) };
    expect([await send(proven), await send(proven)]).toEqual([200, 401]);
  });

  it.each([
    ['a body that is none', 400, '{"set":1}'],
    [
      'a name that is none',
      400,
      '{"set":[{"name":"__proto__","sdl":"","source":""}],"remove":[],"isWhole":false}',
    ],
    ['no JSON', 400, '{'],
    [
      'an address that is none',
      400,
      '{"set":[{"name":"late","sdl":"","source":"","routingUrl":"ftp://late.test"}],"remove":[],"isWhole":false}',
    ],
    ['a subgraph that is named twice', 400, `{"set":[${TWICE},${TWICE}],"remove":[],"isWhole":false}`],
  ])('rejects %s with %i', async (_title, status, body) => {
    const headers = {
      authorization: `Bearer ${await tokenOf('operator')}`,
      'content-type': 'application/json',
    };
    const url = `${registry.url}/v1/graphs/content/environments/production/publications`;
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(status);
  });

  it('rejects a publication that names no subgraph, without the right to all', async () => {
    const headers = {
      authorization: `Bearer ${await tokenOf('reader')}`,
      'content-type': 'application/json',
    };
    const url = `${registry.url}/v1/graphs/content/environments/production/publications`;
    const body = '{"set":[],"remove":[],"isWhole":false}';
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(403);
  });

  it.each(['records/abc', 'records/0', 'head?after=-1', 'head?waitS=9999'])(
    'rejects the address %s',
    async (path) => {
      const headers = { authorization: `Bearer ${await tokenOf('reader')}` };
      const url = `${registry.url}/v1/graphs/content/environments/production/${path}`;
      expect((await fetch(url, { headers })).status).toBe(400);
    },
  );

  it('is unavailable in words', async () => {
    const gone = new HttpStore('http://127.0.0.1:1/');
    await expect(gone.readHead(log, signal)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('creates a record once, for one of many callers', async () => {
    const store = new PostgresStore(pool);
    const other = { graph: 'race', environment: 'test' };
    const callers = Array.from({ length: 8 }, (_, index) =>
      store.createRecord(other, 1, `jws-${index}`, signal),
    );
    expect((await Promise.all(callers)).filter(Boolean)).toHaveLength(1);
  });
});

async function boundToken() {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  const prove = (htm: string, htu: string, token?: string): Promise<string> =>
    new SignJWT({
      htm,
      htu,
      jti: randomUUID(),
      ...(token && { ath: createHash('sha256').update(token).digest('base64url') }),
    })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
      .setIssuedAt()
      .sign(privateKey);
  const url = `${environment['TRELLIS_REGISTRY_ISSUER']}/token`;
  const ask = async (nonce?: string) => {
    const dpop = nonce === undefined ? await prove('POST', url) : await withNonce(nonce);
    return fetch(url, {
      method: 'POST',
      headers: {
        dpop,
        authorization: `Basic ${Buffer.from(`bound:${encodeURIComponent(SECRET)}`).toString('base64')}`,
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource: AUDIENCE }),
    });
  };
  const withNonce = (nonce: string): Promise<string> =>
    new SignJWT({ htm: 'POST', htu: url, jti: randomUUID(), nonce })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
      .setIssuedAt()
      .sign(privateKey);
  const first = await ask();
  const nonce = first.headers.get('dpop-nonce');
  const response = first.ok || nonce === null ? first : await ask(nonce);
  const { access_token: token } = (await response.json()) as { access_token: string };
  expect(await calculateJwkThumbprint(jwk)).toHaveLength(43);
  return { token, prove };
}
