import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { trellis } from '../../testing/run-command.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'check-limits-'));
  await write(
    'users.graphql',
    print(gql`
      type Query {
        me: User
      }
      type User {
        id: ID!
        friend: User
      }
      type Subscription {
        joined: User
      }
    `),
  );
  await write(
    'posts.graphql',
    print(gql`
      type Query {
        post: String
      }
    `),
  );
  const subgraphs = ['users', 'posts'].map(
    (name) => `  ${name}: { routing_url: http://${name}/, schema: { file: ${name}.graphql } }\n`,
  );
  await write('supergraph.yaml', `subgraphs:\n${subgraphs.join('')}`);
});
afterEach(() => rm(folder, { recursive: true }));

const path = (name: string): string => join(folder, name);

async function write(name: string, text: string): Promise<string> {
  await writeFile(path(name), text);
  return path(name);
}

/** Of a graph with itself, under two files of settings; the lines that begin with a verdict. */
async function check(before: string | undefined, after: string, ...documents: readonly string[]) {
  const config = path('supergraph.yaml');
  const settings = [
    '--limits',
    await write('after.yaml', after),
    ...(before === undefined ? [] : ['--limits-against', await write('before.yaml', before)]),
  ];
  const lines = documents.map((document, index) =>
    JSON.stringify({ id: `op${index}`, document, slices: [{}], clients: [{ name: 'ios', requests: 9 }] }),
  );
  const text = ['{"format":"trellis-operations/1"}', ...lines].join('\n');
  const recorded = documents.length === 0 ? [] : ['--operations', await write('operations.jsonl', text)];
  const { status, out } = await trellis(
    'check',
    '--config',
    config,
    '--against',
    config,
    '--composers',
    'apollo',
    ...settings,
    ...recorded,
  );
  return { status, changes: out.split('\n').filter((line) => /^(breaking|dangerous|unknown): /.test(line)) };
}

const DEEP = '{ me { friend { friend { friend { id } } } } }';
const FLAT = '{ me { id } }';

describe('--limits-against', () => {
  it('finds a limit that was lowered: dangerous, breaking where a recorded operation exceeds it, and nothing where none does', async () => {
    const [before, after] = ['limits: { depth: 9 }', 'limits: { depth: 4 }'];
    const message = 'limits.depth: LIMIT_LOWERED: limits.depth is 4 now; it was 9.';
    expect(await check(before, after)).toEqual({ status: 0, changes: [`dangerous: ${message}`] });
    expect(await check(before, after, FLAT, DEEP)).toEqual({ status: 1, changes: [`breaking: ${message}`] });
    expect(await check(before, after, FLAT)).toEqual({ status: 0, changes: [] });
    expect(await check(after, before)).toEqual({ status: 0, changes: [] });
    expect(await check(undefined, after)).toEqual({ status: 0, changes: [] });
  });

  it('finds another transport of subscriptions, of subgraphs that have some', async () => {
    const [before, after] = ['subscriptions: { transport: websocket }', 'subscriptions: { transport: sse }'];
    const message =
      'users: SUBSCRIPTION_TRANSPORT_CHANGED: Subscriptions of users go by sse now; they went by websocket.';
    expect(await check(before, after)).toEqual({ status: 0, changes: [`dangerous: ${message}`] });
    expect(await check(before, before)).toEqual({ status: 0, changes: [] });
    const own = 'subscriptions: { transport: sse, subgraphs: { users: { transport: websocket } } }';
    expect(await check(before, own)).toEqual({ status: 0, changes: [] });
  });
});
