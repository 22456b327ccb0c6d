import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectRedis } from '@trellis/redis';
import { createActivityStream } from '@trellis/subgraph-protocol';
import {
  createTemporaryDirectory,
  createTestDatabase,
  createTestUserContext,
  freePort,
  programArguments,
  type TestDatabase,
  type TestUserContext,
} from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDeployedSubgraph, type DeployedSubgraph } from '../fixtures/deployed-subgraph.ts';
import { askGraph, dataOf, type GraphResponse } from '../harness/ask-graph.ts';
import { eventually } from '../harness/deadline.ts';
import { root, startProgram, type RunningProgram } from '../harness/running-program.ts';
import { startTokenIssuer, type TokenIssuer } from '../harness/token-issuer.ts';

const PATIENCE_MS = 100_000;
const USER = '0197a5a0-0000-7000-8000-000000000001';
const RIGHTS = { sub: USER, scope: 'read:data read:profile write:data', roles: ['ADMIN'] };

/** Writes down which stores it was given, and is the users subgraph. */
const COMMAND = `
  import { renameSync, writeFileSync } from 'node:fs';
  const { DATABASE_URL, REDIS_URL, OUT, PROGRAM } = process.env;
  writeFileSync(OUT + '.part', JSON.stringify({ DATABASE_URL, REDIS_URL }));
  renameSync(OUT + '.part', OUT);
  await import(PROGRAM);`;

const folder = createTemporaryDirectory();
const at = (name: string): string => join(folder.path, name);
const data = { DATA_DIR: at('data') };
const port = String(await freePort());
const graph = `http://127.0.0.1:${port}/graphql`;
let database: TestDatabase;
let production: TestUserContext;
let developer: TestUserContext;
let issuer: TokenIssuer;
let shelf: DeployedSubgraph;
let vault: DeployedSubgraph;
let dev: RunningProgram;

beforeAll(async () => {
  [database, production, developer, issuer] = await Promise.all([
    createTestDatabase(),
    createTestUserContext(),
    createTestUserContext(), // whose key has the same name: it is not known by that
    startTokenIssuer(graph),
  ]);
  writeFileSync(at('key.json'), JSON.stringify(developer.privateKey), { mode: 0o600 });
  [shelf, vault] = await Promise.all([
    deploy('shelf', {
      USER_CONTEXT_DEVELOPER_JWKS: JSON.stringify(developer.jwks),
      USER_CONTEXT_DEVELOPER_SCOPES: 'read:data admin',
    }),
    deploy('vault', {}),
  ]);
  dev = startDevelopment(String(await freePort()));
  await dev.output.waitFor(/^ready at /m, PATIENCE_MS);
}, 400_000);

afterAll(async () => {
  if (dev?.processes().length) await dev.stop('SIGKILL');
  await Promise.all([shelf?.close(), vault?.close(), issuer?.close()]);
  await database?.drop();
  folder.remove();
});

function deploy(name: string, environment: Readonly<Record<string, string>>): Promise<DeployedSubgraph> {
  return startDeployedSubgraph({
    name,
    environment: {
      DATABASE_URL: database.connectionString,
      USER_CONTEXT_JWKS: JSON.stringify(production.jwks),
      ...environment,
    },
  });
}

/** Develops the users subgraph, on stores of its own, beside those that are deployed. */
function startDevelopment(operationsPort: string): RunningProgram {
  const deployed = [shelf, vault].map(
    ({ name, url, schema }) => `  ${name}: { routing_url: ${url}, schema: { file: ${schema} } }\n`,
  );
  writeFileSync(at('rest.yaml'), `subgraphs:\n${deployed.join('')}`);
  writeFileSync(at('command.mjs'), COMMAND);
  const service = programArguments(join(root, 'services/users/src/main.ts'));
  const own = `users=${join(root, 'services/users/src/schema.graphql')}`;
  const rest = ['--rest', at('rest.yaml'), '--key', at('key.json')];
  const command = ['--', process.execPath, ...service.slice(0, -1), at('command.mjs')];
  return startProgram('dev', {
    args: ['--subgraph', own, ...rest, '--stores', '--port', port, ...command],
    environment: {
      ...data,
      TOKEN_ISSUER: issuer.issuer,
      TOKEN_AUDIENCE: issuer.audience,
      TOKEN_JWKS_URL: issuer.jwksUrl,
      OPERATIONS_PORT: operationsPort,
      PRESENCE_WINDOW_S: '3600',
      OUT: at('stores.json'),
      PROGRAM: service.at(-1),
    },
    dataDirectory: folder.path,
  });
}

async function ask<Data = Readonly<Record<string, unknown>>>(query: string): Promise<GraphResponse<Data>> {
  return askGraph<Data>(graph, { query, token: await issuer.sign(RIGHTS) });
}

describe('trellis dev --stores', () => {
  it(
    'serves a subgraph of the kit on the PostgreSQL and the Redis that it starts for it',
    { timeout: 300_000 },
    async () => {
      const { me } = dataOf(
        await eventually(
          () => ask<{ readonly me: object }>('{ me { id role } }'),
          ({ errors }) => errors === undefined,
        ),
      );
      expect(me).toEqual({ id: USER, role: 'ADMIN' });
      const { DATABASE_URL = '', REDIS_URL = '' } = JSON.parse(
        readFileSync(at('stores.json'), 'utf8'),
      ) as Record<string, string>;
      expect(DATABASE_URL).not.toBe(database.connectionString);
      const redis = connectRedis({ url: REDIS_URL, name: 'test', onError: () => undefined });
      await createActivityStream(redis).add([USER]);
      redis.disconnect();
      const online = await eventually(
        () => ask<{ readonly onlineUsers: readonly object[] }>('{ onlineUsers { id } }'),
        ({ data: seen }) => (seen?.onlineUsers.length ?? 0) > 0,
      );
      expect(dataOf(online)).toEqual({ onlineUsers: [{ id: USER }] });
    },
  );
});

describe('A developer’s key, which is not production’s', () => {
  it('opens a deployed subgraph that allows it: for any user, with the scopes of developers at most, and without roles', async () => {
    const { data: seen, errors } = await ask('{ shelf { user roles scopes } shelfForWriters }');
    expect(seen).toEqual({
      shelf: { user: USER, roles: [], scopes: ['read:data'] },
      shelfForWriters: null,
    });
    expect(errors?.map(({ path, extensions: { code } }) => [path, code])).toEqual([
      [['shelfForWriters'], 'FORBIDDEN'],
    ]);
  });

  it('takes nothing from production’s own key at the same subgraph', async () => {
    const context = await production.sign('shelf', {
      user: { id: USER, roles: ['ADMIN'], tokenIssuedAt: 1 },
      scopes: ['read:data', 'write:data'],
    });
    const query = '{ shelf { user roles scopes } shelfForWriters }';
    expect(
      dataOf(await askGraph(shelf.url, { query, headers: { 'trellis-user-context': context } })),
    ).toEqual({
      shelf: { user: USER, roles: ['ADMIN'], scopes: ['read:data', 'write:data'] },
      shelfForWriters: 'written',
    });
  });

  it('is rejected by a deployed subgraph that does not allow it, and the others respond', async () => {
    const { data: seen, errors } = await ask('{ shelf { user } vault { user } }');
    expect(seen).toEqual({ shelf: { user: USER }, vault: null });
    expect(errors).toEqual([
      expect.objectContaining({
        message: 'A subgraph answers only what the gateway has signed.',
        path: ['vault'],
        extensions: expect.objectContaining({ code: 'UNAUTHENTICATED' }) as object,
      }),
    ]);
  });
});

describe('The end of trellis dev --stores', () => {
  it('leaves neither its command nor its stores behind', async () => {
    const commands = dev.processes().map(({ command }) => command);
    for (const part of [/command\.mjs$/, /\/postgres -D/, /redis/])
      expect(commands.filter((command) => part.test(command))).not.toEqual([]);
    process.kill(dev.pid, 'SIGTERM');
    const { code, leftBehind } = await dev.ended(PATIENCE_MS);
    expect([code, leftBehind]).toEqual([0, []]);
    for (const file of ['owner.lock', 'data/postmaster.pid'])
      expect(existsSync(join(at('data/dev/postgres'), file)), file).toBe(false);
  });
});
