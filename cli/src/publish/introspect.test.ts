import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { freePort } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { LINK } from '../../testing/federation-link.ts';
import { FolderRegistry } from '../../testing/folder-registry.ts';
import { startSdlServer, type SdlServer } from '../../testing/sdl-server.ts';
import { trellis } from '../../testing/run-command.ts';

const USERS = print(gql`
  type Query {
    me: User
  }
  type User @key(fields: "id") {
    id: ID!
    name: String
    bio: String
  }
`);
const POSTS = print(gql`
  type Query {
    posts: [Post]
  }
  type Post @key(fields: "id") {
    id: ID!
    title: String
  }
`);
const OTHER_POSTS = POSTS.replace('title: String', 'title: String text: String');
const SECRET = 'fcU0pVx4mX7Q0cJ1Yq9W3w';

let registry: FolderRegistry;
/** Where no one listens. */
let unreachable: string;
const running: SdlServer[] = [];

beforeAll(async () => {
  registry = await FolderRegistry.create();
  unreachable = `http://127.0.0.1:${await freePort()}/graphql`;
});
afterAll(() => registry.close());
beforeEach(() => registry.begin());
afterEach(async () => {
  vi.stubEnv('TRELLIS_SCHEMA_SECRET', undefined);
  await Promise.all(running.splice(0).map((one) => one.close()));
});

async function runs(sdl: string, status?: number, location?: string): Promise<SdlServer> {
  const server = await startSdlServer(LINK + sdl, status, location);
  running.push(server);
  return server;
}

function publish(name: string, sdl: string, url: string, ...more: readonly string[]) {
  return registry.publish(name, sdl, '--routing-url', url, ...more);
}

describe('--introspect', () => {
  it('rejects a rollback to what two running subgraphs no longer serve, and lets one pass that they do', async () => {
    const users = await runs(USERS.replace('bio: String', ''));
    const posts = await runs(POSTS);
    await publish('posts', POSTS, posts.url);
    await publish('users', USERS, users.url);
    await publish('users', USERS.replace('bio: String', 'bio: String age: Int'), users.url);
    // By what was published the older release is served, which it no longer is.
    const { status, out } = await trellis('rollback', '--introspect');
    expect([status, out]).toEqual([
      1,
      expect.stringMatching(
        /\nnot served: users as it runs fails: .*bio.*\nrejected: nothing was changed\.\n$/,
      ),
    ]);
    expect([users.headers.length, posts.headers.length]).toEqual([1, 1]);
    expect((await trellis('rollback')).status).toBe(0);
  });

  it('knows what runs better than what was published last', async () => {
    const users = await runs(USERS);
    const none = await registry.write('none.json', '{"format":"trellis-operations/1","complete":true}\n');
    await publish('users', USERS, users.url);
    await publish('users', USERS.replace('bio: String', ''), users.url, '--operations', none);
    expect((await trellis('rollback')).status).toBe(1);
    expect((await trellis('rollback', '--introspect')).status).toBe(0);
  });

  it('takes a subgraph that does not respond for both versions, and says so', async () => {
    const posts = await runs(POSTS);
    const none = await registry.write('none.json', '{"format":"trellis-operations/1","complete":true}\n');
    await publish('posts', POSTS, posts.url);
    await publish('users', USERS, unreachable);
    await publish('users', USERS.replace('bio: String', ''), unreachable, '--operations', none);
    const rejected = await trellis('rollback', '--introspect');
    expect([rejected.status, rejected.out]).toEqual([
      1,
      expect.stringMatching(
        /\nunknown: users may run as published before, and as it will be: The subgraph did not return its schema: connect ECONNREFUSED .*\nnot served: users as it runs fails: .*bio/,
      ),
    ]);
    await publish('posts', OTHER_POSTS, posts.url);
    const passed = await trellis('rollback', '--introspect', '--format', 'json');
    expect([passed.status, JSON.parse(passed.out)]).toMatchObject([
      0,
      { outcome: 'rollback', unknown: [/^users may run as published before/] },
    ]);
  });

  it('takes one that runs with no schema for both versions, too', async () => {
    const users = await runs(
      print(gql`
        type Query {
          me: Missing
        }
      `),
    );
    await publish('users', USERS, users.url);
    await publish('users', USERS.replace('bio: String', 'bio: String age: Int'), users.url);
    expect(await trellis('rollback', '--introspect')).toMatchObject({
      status: 0,
      out: expect.stringContaining('Its schema is invalid: Unknown type: "Missing".'),
    });
  });

  it('asks a subgraph that comes to the graph where it will be', async () => {
    const [users, posts] = [await runs(USERS), await runs(POSTS)];
    await publish('users', USERS, users.url);
    expect(await publish('posts', POSTS, unreachable, '--introspect')).toMatchObject({
      status: 1,
      out: /not served: posts as it runs fails/,
    });
    expect((await publish('posts', POSTS, posts.url, '--introspect')).status).toBe(0);
    expect(posts.headers).toHaveLength(1);
  });

  it('guards a promotion by what runs where it goes', async () => {
    const users = await runs(USERS);
    const staging = ['--graph', 'content@staging'];
    const promote = ['promote', 'staging', 'production', '--introspect'];
    await publish('users', USERS, users.url, ...staging);
    expect((await trellis(...promote)).status).toBe(0);
    await publish('users', USERS.replace('bio: String', 'bio: String age: Int'), users.url, ...staging);
    expect(await trellis(...promote)).toMatchObject({ status: 1, out: /not served: users .*age/ });
  });

  it('sends the secret and the headers that it is given, and not to where it is redirected', async () => {
    const users = await runs(USERS);
    const redirecting = await runs(POSTS, 307, users.url);
    vi.stubEnv('TRELLIS_SCHEMA_SECRET', SECRET);
    await publish('users', USERS, users.url);
    await publish('posts', POSTS, redirecting.url);
    await publish('posts', OTHER_POSTS, redirecting.url);
    const origins = [users, redirecting].map(({ url }) => new URL(url).origin).join(',');
    const args = ['--header', 'Authorization=Bearer x', '--introspect-origins', origins];
    const { status, out } = await trellis('rollback', '--introspect', ...args);
    expect([status, out]).toEqual([0, expect.stringContaining('unknown: posts may run')]);
    expect(users.headers).toMatchObject([
      { 'trellis-introspection-secret': SECRET, authorization: 'Bearer x' },
    ]);
    expect(redirecting.headers).toHaveLength(1);
  });

  it('sends the secret and headers to no address of a publisher that is not named', async () => {
    const [users, thief] = [await runs(USERS), await runs('no schema')];
    vi.stubEnv('TRELLIS_SCHEMA_SECRET', SECRET);
    await publish('users', USERS, users.url);
    await publish('posts', POSTS, thief.url);
    await publish('posts', OTHER_POSTS, thief.url);
    await trellis('rollback', '--introspect');
    vi.stubEnv('TRELLIS_INTROSPECT_ORIGINS', new URL(users.url).origin);
    await publish('posts', OTHER_POSTS, thief.url);
    await trellis('rollback', '--introspect', '--header', 'Authorization=Bearer x');
    vi.stubEnv('TRELLIS_INTROSPECT_ORIGINS', undefined);
    const seen = ({ headers }: SdlServer): unknown =>
      headers.map((one) => [one['trellis-introspection-secret'], one.authorization]);
    const nothing = [undefined, undefined];
    expect([seen(thief), seen(users)]).toEqual([
      [nothing, nothing],
      [nothing, [SECRET, 'Bearer x']],
    ]);
  });

  it.each([
    'http://posts.example',
    'https://posts.example/graphql',
    'https://a:b@posts.example',
    'posts.example',
    '*',
  ])('takes no %s for an origin that gets secrets', async (origin) => {
    const run = await trellis('rollback', '--introspect', '--introspect-origins', origin);
    expect(run).toMatchObject({ status: 64, error: /^INVALID_NAME: --introspect-origins takes origins/ });
  });

  it.each([
    ['a header for no origin', ['--introspect', '--header', 'X-Secret=s3cr3t']],
    ['a header that is none', ['--introspect', '--header', 'nonsense']],
    ['a value that is none', ['--introspect', '--header', 'X-Secret=s3cr3t\u00E9']],
    ['a header without it', ['--header', 'X-Secret=s3cr3t']],
  ])('rejects %s, and does not show its value', async (_title, args) => {
    const { status, error } = await trellis('rollback', ...args);
    expect([status, error]).toEqual([64, expect.stringMatching(/^INVALID_NAME: --header /)]);
    expect(error).not.toContain('s3cr3t');
  });
});
