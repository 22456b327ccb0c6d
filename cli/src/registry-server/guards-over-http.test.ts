import { join } from 'node:path';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { LINK } from '../../testing/federation-link.ts';
import { RecordedRegistry } from '../../testing/recorded-registry.ts';
import { trellis } from '../../testing/run-command.ts';
import { serveRegistry } from './serve-registry.ts';

const COST_LINK = LINK.replace('"@key"', '"@key", "@cost"');
const USERS = print(gql`
  type Query {
    me: User
    all(first: Int): [User]
  }
  type User @key(fields: "id") {
    id: ID!
    name: String
    bio: String
  }
`);
const MORE = USERS.replace('bio: String', 'bio: String age: Int');
const WITHOUT_BIO = USERS.replace('bio: String', '');
const OPERATIONS = [
  { format: 'trellis-operations/1', complete: true },
  { id: 'bio', document: '{ me { bio } }', clients: [{ name: 'robot', requests: 5 }] },
  {
    id: 'all',
    document: 'query($n: Int) { all(first: $n) { name } }',
    clients: [{ name: 'web', requests: 5 }],
    slices: [{ n: 100 }],
  },
];

let registry: RecordedRegistry;
let graph = 0;

beforeAll(async () => {
  registry = await RecordedRegistry.start((folder) => ({
    operations: [join(folder, 'operations.jsonl')],
    limitsFile: join(folder, 'gateway.yaml'),
  }));
  registry.write('operations.jsonl', OPERATIONS.map((line) => `${JSON.stringify(line)}\n`).join(''));
  registry.write('gateway.yaml', 'limits: { cost: 1000 }\n');
}, 120_000);
afterAll(() => registry.close());
beforeEach(() => {
  graph += 1;
  registry.missing.clear();
  vi.stubEnv('TRELLIS_GRAPH', `graph${graph}@production`);
});

const rejected = { status: 1, out: expect.stringContaining('rejected: nothing was changed.') as string };

describe('A registry over HTTP', () => {
  it('rolls back to nothing that the subgraphs which run, as a client says, no longer serve', async () => {
    await registry.publish('users', USERS);
    await registry.publish('users', MORE);
    const runs = registry.write('runs.graphql', LINK + USERS.replace('name: String', ''));
    const { status, out } = await trellis('rollback', '--deployed', `users=${runs}`);
    expect([status, out]).toEqual([1, expect.stringMatching(/not served: users as it runs fails: .*name/)]);
    expect((await trellis('rollback')).status).toBe(0);
  });

  it('publishes and promotes nothing that what runs does not serve, where a client says what runs', async () => {
    const staging = ['--graph', `graph${graph}@staging`];
    await registry.publish('users', USERS, ...staging);
    await trellis('promote', 'staging', 'production');
    const runs = registry.write('runs.graphql', LINK + USERS);
    const guard = ['--deployed', `users=${runs}`];
    expect(await registry.publish('users', MORE, ...guard, ...staging)).toMatchObject(rejected);
    await registry.publish('users', MORE, ...staging);
    expect(await trellis('promote', 'staging', 'production', ...guard)).toMatchObject(rejected);
    expect((await trellis('promote', 'staging', 'production')).status).toBe(0);
  });

  it('names a schema of what runs that is none', async () => {
    await registry.publish('users', USERS);
    const runs = registry.write(
      'runs.graphql',
      print(gql`
        type Query {
          me: Missing
        }
      `),
    );
    expect(await registry.publish('users', MORE, '--deployed', `users=${runs}`)).toMatchObject({
      status: 64,
      error: expect.stringContaining('The schema of users as it runs is invalid: Unknown type: "Missing".'),
    });
  });

  it('goes by the excluded clients of a publisher’s checks.yaml', async () => {
    await registry.publish('users', USERS);
    expect(await registry.publish('users', WITHOUT_BIO)).toMatchObject(rejected);
    const rules = registry.write('checks.yaml', 'excludedClients: [robot]\n');
    expect((await registry.publish('users', WITHOUT_BIO, '--approvals', rules)).status).toBe(0);
  });

  it('promotes what a client has approved, and records who did', async () => {
    const staging = ['--graph', `graph${graph}@staging`];
    const expires = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const approvals = registry.write(
      'approvals.yaml',
      `approvals: [{ change: FIELD_REMOVED User.bio, reason: unused, owner: team-users, expires: ${expires} }]\n`,
    );
    await registry.publish('users', USERS, ...staging);
    await trellis('promote', 'staging', 'production');
    await registry.publish('users', WITHOUT_BIO, '--approvals', approvals, ...staging);
    expect(await trellis('promote', 'staging', 'production')).toMatchObject(rejected);
    expect((await trellis('promote', 'staging', 'production', '--approvals', approvals)).status).toBe(0);
    expect(JSON.parse((await trellis('history', '--json')).out)).toMatchObject({
      records: [{ action: 'promote', approvals: [{ owner: 'team-users', expires }] }, {}],
    });
  });

  it('goes by the limits of its own gateway.yaml', async () => {
    const sdl = COST_LINK + USERS;
    const schema = registry.write('costs.graphql', sdl);
    const publish = ['publish', '--subgraph', 'users', '--schema', schema, '--routing-url', 'http://u.test/'];
    await trellis(...publish);
    registry.write('costs.graphql', sdl.replace('name: String', 'name: String @cost(weight: 50)'));
    registry.write('gateway.yaml', 'limits: { cost: 1000 }\n');
    const over = await trellis(...publish);
    expect(over).toMatchObject(rejected);
    expect(over.out).toMatch(/^breaking: .*COST/m);
    registry.write('gateway.yaml', 'limits: { cost: 1000000 }\n');
    expect((await trellis(...publish)).status).toBe(0);
  });

  it('is not sent guards where it is of before and would drop them', async () => {
    await registry.publish('users', USERS);
    await registry.publish('users', MORE);
    for (const what of ['publications', 'promotions', 'rollbacks']) registry.missing.add(`guarded-${what}`);
    const runs = registry.write('runs.graphql', LINK + MORE);
    const old = { status: 69, error: expect.stringContaining('update the server. Nothing was changed.') };
    const guard = ['--deployed', `users=${runs}`];
    expect(await trellis('rollback', ...guard)).toMatchObject(old);
    expect(await registry.publish('users', USERS, ...guard)).toMatchObject(old);
    expect(await trellis('promote', 'production', 'staging', ...guard)).toMatchObject(old);
    expect((await trellis('history', '--json')).out.match(/"sequence"/g)).toHaveLength(2);
    expect((await trellis('rollback')).status).toBe(0);
  });

  it('rejects members of a change that it does not know', async () => {
    const url = `${process.env['TRELLIS_REGISTRY']}/v1/graphs/graph${graph}/environments/production/publications`;
    const body = JSON.stringify({ set: [], remove: [], isWhole: false, unlessFriday: true });
    const headers = { 'content-type': 'application/json', authorization: 'Bearer token' };
    const response = await fetch(url, { method: 'POST', headers, body });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('unlessFriday')]);
  });

  it('does not start with limits that are none', async () => {
    const limits = registry.write('wrong.yaml', 'limits: { cost: many }\n');
    const env = { DATABASE_URL: 'postgresql://127.0.0.1:1/none' };
    const options = { issuer: 'http://127.0.0.1:1', audience: 'https://registry.example/', limits };
    await expect(serveRegistry(options, env)).rejects.toThrow(/^--limits takes a gateway\.yaml\. .*cost/s);
  });
});
