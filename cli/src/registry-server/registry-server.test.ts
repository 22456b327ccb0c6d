import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authServer } from '@trellis/auth-server';
import { gateway } from '@trellis/gateway';
import type { TokenCaller } from '@trellis/gateway/token-authentication';
import { createPool, queryChecked, type Pool } from '@trellis/postgres';
import {
  createRecordSigner,
  generateRecordKey,
  HttpStore,
  openRegistry,
  parseLogName,
  registryAuthorization,
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
import { runRegistryAction } from '../publish/run-registry-action.ts';
import { publishCommand, type PublishOptions } from '../publish/publish-command.ts';
import { promoteCommand, rollbackCommand } from '../publish/move-commands.ts';
import { historyCommand } from '../publish/history-commands.ts';
import { verifyCommand } from '../publish/verify-command.ts';
import { trimAttempts, writeAttempt } from './audit-log.ts';
import { ChangeQueue } from './change-queue.ts';
import { ClientLimits } from './client-limits.ts';
import { LogWatch } from './log-watch.ts';
import { PostgresStore } from './postgres-store.ts';
import { commandEnvironment } from '../command-environment.ts';
import { createRegistryServer, type RegistryServerOptions } from './registry-server.ts';
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
let serverEnvironment: Readonly<Record<string, string>>;

const scopes: Readonly<Record<string, string>> = {
  users: 'graph:read graph:publish:users',
  posts: 'graph:read graph:publish:posts',
  operator: 'graph:read graph:publish:* graph:promote:production',
  reader: 'graph:read',
  bound: 'graph:read',
  stager: 'graph:read graph:publish-in:staging:users',
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
  serverEnvironment = server;
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
    API_SCOPES: 'graph:read graph:publish:* graph:publish-in:staging:* graph:promote:* usage:write',
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

/** A token that is bound to no key. */
async function tokenOf(client: string): Promise<string> {
  const basic = Buffer.from(`${client}:${encodeURIComponent(SECRET)}`).toString('base64');
  const response = await fetch(`${environment['TRELLIS_REGISTRY_ISSUER']}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource: AUDIENCE }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
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
      { client: 'users', action: 'publish', outcome: 'already-published', sequence: null },
      { client: 'users', action: 'publish', outcome: 'NO_RIGHT', sequence: null },
      { client: 'posts', action: 'publish', outcome: 'published', sequence: 2 },
      { client: 'users', action: 'publish', outcome: 'rejected', sequence: null },
    ]);
  });

  it('serves readers that verify by themselves, and lets them wait for the next record', async () => {
    const authorize = registryAuthorization({ ...environment, TRELLIS_REGISTRY_CLIENT_ID: 'reader' });
    const store = openRegistry(registry.url, { authorize });
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

  it('binds a right to publish to an environment', async () => {
    const graph = { graph: 'content@staging' };
    expect((await publish('stager', 'users', 'type Query { me: Int }', graph)).status).toBe(0);
    expect((await publish('stager', 'posts', 'type Query { p: Int }', graph)).status).toBe(77);
    expect(await publish('stager', 'users', 'type Query { me: Int them: Int }')).toMatchObject({
      status: 77,
      error: expect.stringContaining(
        'no scope graph:publish:<subgraph>, nor graph:publish-in:production',
      ) as string,
    });
  });

  it('creates a record with its row of the audit log, or neither', async () => {
    const row = { outcome: 'text', sequence: 'int4?' } as const;
    const other = { graph: 'atomic', environment: 'test' };
    const audited = { caller: undefined, action: 'publish', log: other, subgraphs: ['a'] } as const;
    const rows = () =>
      queryChecked(pool, row, "SELECT outcome, sequence FROM audit WHERE graph = 'atomic' ORDER BY id");
    const store = new PostgresStore(pool, audited);
    expect(await store.createRecord(other, 1, 'one', signal)).toBe(true);
    expect(await store.createRecord(other, 1, 'another', signal)).toBe(false);
    // A table that takes no row: the record does not come either.
    await pool.query("ALTER TABLE audit ADD CONSTRAINT takes_none CHECK (graph <> 'atomic') NOT VALID");
    await expect(store.createRecord(other, 2, 'two', signal)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    await pool.query('ALTER TABLE audit DROP CONSTRAINT takes_none');
    expect(await rows()).toEqual([{ outcome: 'published', sequence: 1 }]);
    expect(await store.readHead(other, signal)).toBe(1);
  });

  it('keeps the newest attempts that changed nothing, and each row of a record', async () => {
    const other = { graph: 'attempts', environment: 'test' };
    const audited = { caller: undefined, action: 'publish', log: other, subgraphs: [] } as const;
    for (const outcome of ['first', 'second', 'third']) await writeAttempt(pool, audited, outcome);
    const row = { outcome: 'text', sequence: 'int4?' } as const;
    const rows = () => queryChecked(pool, row, 'SELECT outcome, sequence FROM audit ORDER BY id');
    const ofRecords = (await rows()).filter(({ sequence }) => sequence !== null);
    const ofAnother = { ...audited, caller: callerOf('another', []) };
    await writeAttempt(pool, ofAnother, 'of another');
    await trimAttempts(pool, 2);
    const left = "SELECT outcome, sequence FROM audit WHERE graph = 'attempts' ORDER BY id";
    expect((await queryChecked(pool, row, left)).map(({ outcome }) => outcome)).toEqual([
      'second',
      'third',
      'of another',
    ]);
    expect((await rows()).filter(({ sequence }) => sequence !== null)).toEqual(ofRecords);
  });

  it('names the first twenty subgraphs of an attempt, and how many more there are', async () => {
    const subgraphs = Array.from({ length: 1_000 }, (_, index) => `s${index}`);
    const other = { graph: 'many', environment: 'test' };
    await writeAttempt(pool, { caller: undefined, action: 'publish', log: other, subgraphs }, 'NO_RIGHT');
    const text = "SELECT array_to_string(subgraphs, ' ') AS named FROM audit WHERE graph = 'many'";
    const [row] = await queryChecked(pool, { named: 'text' }, text);
    expect(row?.named).toMatch(/^s0 .* s19 and 980 more$/);
    expect(row?.named).not.toContain('s20');
  });

  it('says what came of a request whose row can not be written', async () => {
    await pool.query("ALTER TABLE audit ADD CONSTRAINT takes_none CHECK (graph <> 'unaudited') NOT VALID");
    const graph = { graph: 'unaudited@test' };
    expect(await publish('users', 'posts', 'type Query { p: Int }', graph)).toMatchObject({
      status: 77,
      error: expect.stringContaining('no scope graph:publish:posts') as string,
    });
    await pool.query('ALTER TABLE audit DROP CONSTRAINT takes_none');
  });

  it('says that it can not decide where recorded operations can not be read', async () => {
    const behind = await serverFor(['graph:publish:*'], {
      operations: ['postgresql://user:secret@127.0.0.1:1/none'],
    });
    const publication = (sdl: string) => {
      const set = [{ name: 'a', sdl: LINK + sdl, source: 'a', routingUrl: 'http://a.test/' }];
      const url = '/v1/graphs/undecided/environments/test/publications';
      return behind.inject({ method: 'POST', url, payload: { set, remove: [], isWhole: false } });
    };
    expect((await publication('type Query { a: Int }')).statusCode).toBe(200);
    const undecided = await publication('type Query { a: Int b: Int }');
    expect([undecided.statusCode, undecided.json()]).toEqual([
      503,
      {
        error: {
          code: 'STORE_UNAVAILABLE',
          message: 'The recorded operations that checks go by can not be read.',
        },
      },
    ]);
    await behind.close();
  });

  it('takes so many requests and changes of a client in a minute', async () => {
    const behind = await serverFor(['graph:read', 'graph:publish:a'], {
      limits: { requestsPerMinute: 4, changesPerMinute: 1 },
    });
    const url = '/v1/graphs/limits/environments/test/publications';
    const change = () => behind.inject({ method: 'POST', url, payload: {} });
    const read = () => behind.inject({ url: '/v1/logs' });
    const responses = [await change(), await change(), await read(), await read(), await read()];
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([400, 429, 200, 200, 429]);
    expect(responses[1]?.body).toContain('This client sends too many changes. Try again in a minute.');
    expect(responses[4]?.body).toContain('This client sends too many requests. Try again in a minute.');
    await behind.close();
  });

  it('ends a wait with its connection', async () => {
    const behind = await serverFor(['graph:read'], { limits: { waitingOfClient: 1 } });
    const base = await behind.listen({ port: 0, host: '127.0.0.1' });
    const wait = (waitS: number, ending?: AbortSignal) =>
      fetch(`${base}/v1/graphs/content/environments/production/head?after=9999&waitS=${waitS}`, {
        ...(ending && { signal: ending }),
      });
    const ending = new AbortController();
    const first = wait(30, ending.signal).catch(() => 'ended');
    await expect.poll(async () => (await wait(0.01)).status).toBe(503);
    ending.abort();
    expect(await first).toBe('ended');
    await expect.poll(async () => (await wait(0.01)).status).toBe(200);
    await behind.close();
  });

  it.each(['publications', 'promotions', 'rollbacks'])(
    'reads no body of %s without a right to any',
    async (what) => {
      const headers = {
        authorization: `Bearer ${await tokenOf('reader')}`,
        'content-type': 'application/json',
      };
      const url = `${registry.url}/v1/graphs/content/environments/production/${what}`;
      expect((await fetch(url, { method: 'POST', headers, body: '{' })).status).toBe(403);
    },
  );

  it.each([
    ['no token', undefined],
    ['a token that is none', 'Bearer nonsense'],
    ['another scheme', 'Basic dTpw'],
  ])('rejects %s with a challenge', async (_title, authorization) => {
    const headers = authorization === undefined ? {} : { authorization };
    const response = await fetch(`${registry.url}/v1/logs`, { headers });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer, DPoP']);
  });

  it('is served with its secrets in files', async () => {
    const { DATABASE_URL = '', TRELLIS_SIGNING_KEY = '', ...others } = serverEnvironment;
    const [url, key] = [join(folder, 'database-url'), join(folder, 'signing-key')];
    writeFileSync(url, `${DATABASE_URL}\n`);
    writeFileSync(key, `${TRELLIS_SIGNING_KEY}\n`);
    const files = { ...others, DATABASE_URL_FILE: url, TRELLIS_SIGNING_KEY_FILE: key };
    const { url: address, close } = await serveRegistry({ port: '0' }, commandEnvironment(files));
    expect((await fetch(address)).status).toBeGreaterThanOrEqual(400); // it asks for a token
    await close();
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

  it('is published to by a client whose tokens are bound, as all tokens of the command line are', async () => {
    const authorize = registryAuthorization({ ...environment, TRELLIS_REGISTRY_CLIENT_ID: 'bound' });
    const headers = await authorize?.('GET', `${registry.url}/v1/logs?x=1`);
    expect(headers).toMatchObject({ authorization: expect.stringMatching(/^DPoP /) as string });
    expect((await fetch(`${registry.url}/v1/logs`, { headers: headers ?? {} })).status).toBe(200);
    const asBearer = { authorization: (headers?.['authorization'] ?? '').replace('DPoP', 'Bearer') };
    expect((await fetch(`${registry.url}/v1/logs`, { headers: asBearer })).status).toBe(401);
    expect((await as('bound', historyCommand)).status).toBe(0);
  });

  it('takes proofs for its public address alone, where it has one: not for what a request says of itself', async () => {
    const publicUrl = 'https://registry.example/releases';
    const behind = await serveRegistry({ port: '0', publicUrl: `${publicUrl}/` }, serverEnvironment);
    const { token, prove } = await boundToken();
    const send = async (htu: string): Promise<number> => {
      const headers = { authorization: `DPoP ${token}`, dpop: await prove('GET', htu, token) };
      return (await fetch(`${behind.url}/v1/logs`, { headers })).status;
    };
    try {
      expect(await send(`${publicUrl}/v1/logs`)).toBe(200);
      expect(await send(`${behind.url}/v1/logs`)).toBe(401);
      expect(await send('http://registry.example/releases/v1/logs')).toBe(401);
      expect(await send(`${publicUrl}/v1/other`)).toBe(401);
    } finally {
      await behind.close();
    }
    await expect(serveRegistry({ publicUrl: 'registry.example' }, serverEnvironment)).rejects.toThrow(
      '--public-url takes an http or https URL',
    );
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

describe('Changes that wait', () => {
  it('take turns by client, and are bounded for each', async () => {
    const queue = new ChangeQueue();
    const order: string[] = [];
    let begin = (): void => undefined;
    const first = queue.run('busy', () => new Promise<void>((resolve) => (begin = resolve)));
    const run = (client: string, name: string): Promise<unknown> =>
      queue.run(client, async () => void order.push(name));
    const busy = Array.from({ length: 16 }, (_, index) => run('busy', `busy ${index}`));
    await expect(run('busy', 'one too many')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const other = run('other', 'other');
    await new Promise((resolve) => setTimeout(resolve, 20));
    begin();
    await Promise.all([first, other, ...busy]);
    expect([order[0], order.length]).toEqual(['other', 17]);
    await expect(queue.run('x', () => Promise.reject(new Error('it fails')))).rejects.toThrow('it fails');
    expect(await queue.run('x', async () => 'goes on')).toBe('goes on');
  });
});

describe('Bodies of changes', () => {
  it('are bounded for each client and in all, until they were used or their connection has ended', async () => {
    const limits = new ClientLimits({ bytesOfClient: 100, bytesOfAll: 150 });
    const status = (client: string, length: string | undefined): unknown => {
      try {
        limits.holdBody(client, length).close();
        return 'taken';
      } catch (error) {
        return (error as { readonly statusCode?: unknown }).statusCode;
      }
    };
    const first = limits.holdBody('one', '80');
    expect([status('one', '20'), status('one', '21'), status('one', undefined)]).toEqual(['taken', 429, 429]);
    expect([status('two', '70'), status('two', '71')]).toEqual(['taken', 429]);
    expect([status('two', '99999999'), status('two', 'many')]).toEqual([413, 413]);
    await first.use(async () => {
      first.close();
      expect(status('one', '21')).toBe(429);
    });
    expect([status('one', '100'), status('two', '100')]).toEqual(['taken', 'taken']);
  });
});

describe('Readers that wait', () => {
  it('are served by one question for all, and bounded', async () => {
    let [questions, head] = [0, 3];
    const watch = new LogWatch(
      async () => {
        questions += 1;
        return new Map([['content@production', head]]);
      },
      { waiting: 100, waitingOfClient: 50 },
    );
    const wait = (client: string) => watch.waitFor(log, 3, AbortSignal.timeout(60_000), client);
    const busy = Array.from({ length: 50 }, () => wait('busy'));
    await expect(wait('busy')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const readers = [...busy, ...Array.from({ length: 50 }, (_, index) => wait(`client ${index}`))];
    await expect(wait('one too many')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    setTimeout(() => (head = 4), 100);
    expect(new Set(await Promise.all(readers))).toEqual(new Set([4]));
    expect(questions).toBeLessThanOrEqual(5);
    expect(await watch.waitFor(log, 4, AbortSignal.timeout(50), 'busy')).toBe(4);
    expect(watch.size).toBe(0);
  });
});

function callerOf(clientId: string, granted: readonly string[]): TokenCaller {
  return { clientId, subject: undefined, scopes: new Set(granted) };
}

/** A server that takes every request for one of a client. */
async function serverFor(
  granted: readonly string[],
  options: Pick<RegistryServerOptions, 'limits' | 'operations'>,
) {
  const signer = await createRecordSigner(serverEnvironment['TRELLIS_SIGNING_KEY'] ?? '');
  return createRegistryServer({
    pool,
    signer,
    trust: await TrustedKeys.from([signer.publicKey]),
    authenticate: async () => ({ kind: 'caller', caller: callerOf('ci', granted) }),
    logger: silent,
    ...options,
  });
}

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
