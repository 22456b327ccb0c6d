import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gql } from 'graphql-tag';
import { createTestDatabase, type TestDatabase } from '@trellis/testkit';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGatewayProcess, type GatewayProcess } from '../../../test-fixtures/gateway-process.ts';
import { compose } from '../../testing/compose.ts';
import { startSubgraph, type SubgraphServer } from '../../testing/subgraph-server.ts';

const SECRET = 'uB3vYk0sQm9dWz7eXh2rTg5nLc8pJf1a';
const TYPES = gql`
  type Query {
    me: User
    other: String
  }
  type User {
    name: String
    age: Int
  }
`;
/** The tables that `trellis operations init` makes. */
const TABLES = new URL('../../../../cli/usage-migrations/0001_create_usage.sql', import.meta.url);

let directory: string;
let subgraph: SubgraphServer;
let database: TestDatabase;
let toFolder: GatewayProcess;
let toTables: GatewayProcess;
let recordsNothing: GatewayProcess;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'trellis-field-users-'));
  const resolvers = { Query: { me: () => ({ name: 'Ada', age: 36 }), other: () => 'other' } };
  subgraph = await startSubgraph({ name: 'users', typeDefs: TYPES, resolvers });
  database = await createTestDatabase();
  await createTables(database.connectionString);
  const supergraph = join(directory, 'supergraph.graphql');
  writeFileSync(supergraph, compose([subgraph]));
  const start = (name: string, settings: object, environment = {}): Promise<GatewayProcess> => {
    const file = join(directory, `${name}.yaml`);
    writeFileSync(file, JSON.stringify(settings));
    const common = { SUPERGRAPH: supergraph, OPERATIONS_SECRET: SECRET };
    return startGatewayProcess({ ...common, CONFIG: file, ...environment });
  };
  [toFolder, toTables, recordsNothing] = await Promise.all([
    start('folder', { usage: { directory: join(directory, 'usage'), intervalS: 5 } }, { WORKERS: '2' }),
    start('tables', { usage: { intervalS: 5 } }, { USAGE_DATABASE_URL: database.connectionString }),
    start('nothing', {}),
  ]);
}, 120_000);
afterAll(async () => {
  await Promise.all([toFolder, toTables, recordsNothing].map((one) => one.stop()));
  await subgraph.close();
  await database.drop();
  rmSync(directory, { recursive: true, force: true });
});

async function createTables(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const tables = readFileSync(TABLES, 'utf8');
  await client.query(`CREATE SCHEMA recorded_usage; SET search_path TO recorded_usage; ${tables}`);
  await client.end();
}

interface Found {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function usersOf(gateway: GatewayProcess, body: unknown, secret = SECRET): Promise<Found> {
  const response = await fetch(`${gateway.operationsUrl}/gateway/field-users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Found['body'] };
}

async function send({ url }: GatewayProcess, query: string, client: string): Promise<void> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'apollographql-client-name': client,
      'apollographql-client-version': '1.2',
    },
    body: JSON.stringify({ query }),
  });
  expect(response.status).toBe(200);
}

describe('Who has used a field, at the operations port', () => {
  it.each([
    ['a folder, by several workers', () => toFolder],
    ['tables in PostgreSQL', () => toTables],
  ])('is found in what was recorded to %s', async (_where, gateway) => {
    await send(gateway(), 'query Me { me { name } }', '<b>web');
    await send(gateway(), '{ other }', 'ios');
    const find = (): Promise<Found> => usersOf(gateway(), { field: 'User.name' });
    await expect.poll(find, { interval: 500 }).toMatchObject({
      status: 200,
      body: {
        field: 'User.name',
        complete: true,
        requests: 2,
        requestsWithField: 1,
        operations: [{ name: 'Me', clients: [{ name: '<b>web', version: '1.2', requests: 1 }] }],
      },
    });
    expect((await usersOf(gateway(), { field: 'User.age' })).body).toMatchObject({
      complete: true,
      operations: [],
    });
  });

  it('takes the secret of operators', async () => {
    expect((await usersOf(toFolder, { field: 'User.name' }, 'another')).status).toBe(401);
    const response = await fetch(`${toFolder.operationsUrl}/gateway/field-users?field=User.name`);
    expect(response.status).toBe(404);
  });

  it.each<[string, number, unknown]>([
    ['a field that the graph has not', 404, { field: 'User.missing' }],
    ['a type alone', 400, { field: 'User' }],
    ['no field', 400, {}],
    ['a field that is none', 400, { field: 'User.name\n' }],
    ['too many days', 400, { field: 'User.name', days: 91 }],
    ['an unknown member', 400, { field: 'User.name', all: true }],
    ['no JSON', 400, '{'],
    ['too much', 413, { field: 'x'.repeat(5_000) }],
  ])('is rejected for %s', async (_what, status, body) => {
    expect((await usersOf(toTables, body)).status).toBe(status);
  });

  it('is not known where nothing is recorded', async () => {
    expect((await usersOf(recordsNothing, { field: 'User.name' })).status).toBe(409);
  });

  it('searches once at a time', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => usersOf(toFolder, { field: 'User.name' })));
    const statuses = all.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
    expect(statuses.every((status) => status === 200 || status === 503)).toBe(true);
  });
});

describe('The state of a gateway at the operations port', () => {
  it('is JSON for programs, and a page for all others', async () => {
    const state = await fetch(`${toFolder.operationsUrl}/gateway`, {
      headers: { accept: 'application/json' },
    });
    expect(await state.json()).toMatchObject({
      format: 'trellis-gateway-state/1',
      supergraph: { hash: expect.stringMatching(/^[0-9a-f]{12}$/), servedSince: expect.any(Number) },
      rejectedReloads: 0,
      rejectedHeads: [],
      variants: [],
      stopped: [],
      records: [],
    });
    expect(state.headers.get('vary')).toContain('Accept');
    for (const accept of ['text/html,application/json;q=0.1', '*/*']) {
      const page = await fetch(`${toFolder.operationsUrl}/gateway`, { headers: { accept } });
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    }
  });
});
