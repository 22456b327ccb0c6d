import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LINK } from '../../testing/federation-link.ts';
import { FolderRegistry } from '../../testing/folder-registry.ts';
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
  type Post {
    id: ID!
    title: String
    author: User
  }
  type User @key(fields: "id") {
    id: ID!
  }
`);

/** Composers differ in it: a union in one subgraph, and a member of it in the other. */
const CATALOG = print(gql`
  type Query {
    m: M @federation__shareable
  }
  type Book {
    id: ID! @federation__shareable
  }
  type Mag {
    id: ID!
  }
  union M = Book | Mag
`);
const BOOKS = print(gql`
  type Query {
    m: Book @federation__shareable
  }
  type Book {
    id: ID! @federation__shareable
  }
`);
const VERSION = expect.stringMatching(/^\d+\.\d+\.\d+$/) as string;

async function differingConfig(): Promise<string> {
  const subgraphs = Object.entries({ catalog: CATALOG, books: BOOKS }).map(([name, sdl]) => [
    name,
    { routing_url: `http://${name}.test/graphql`, schema: { sdl: LINK + sdl } },
  ]);
  return registry.write(
    'differing.yaml',
    JSON.stringify({ subgraphs: Object.fromEntries(subgraphs) as object }),
  );
}

let registry: FolderRegistry;

beforeAll(async () => {
  registry = await FolderRegistry.create();
});
afterAll(() => registry.close());
beforeEach(() => registry.begin());

describe('trellis publish', () => {
  it('appends releases, each a whole graph', async () => {
    expect(await registry.publish('users', USERS)).toMatchObject({
      status: 0,
      out: /^published: content@production 1, release [0-9a-f]{12}\n$/,
    });
    const { status, out } = await registry.publish(
      'posts',
      POSTS,
      '--version',
      '1.2.0',
      '--commit',
      'abc',
      '--format',
      'json',
    );
    expect([status, JSON.parse(out)]).toMatchObject([
      0,
      {
        format: 'trellis-registry-outcome/1',
        exit: 0,
        outcome: 'published',
        record: { sequence: 2, action: 'publish', actor: 'ada' },
        report: { command: 'check' },
      },
    ]);
    const supergraph = await trellis('compose', '--graph', 'content@production');
    expect(supergraph.out).toContain('POSTS @join__graph(name: "posts", url: "http://posts.test/graphql")');
  });

  it('warns where two composers differ, and the release says so', async () => {
    await registry.publish('catalog', CATALOG);
    const warned = await registry.publish('books', BOOKS);
    expect(warned).toMatchObject({ status: 0, out: /^warning: COMPOSERS_DIFFER: .*Query\.m:\n/ });
    expect(warned.out).toMatch(
      /@apollo\/composition: M @join__field.*\n.*@theguild\/federation-composition: \w+\n/,
    );
    expect(warned.out).toContain('published: content@production 2,');
    const release = (await registry.releases()).find(({ hints }) => hints.length > 0);
    expect(release?.hints[0]).toMatch(/^COMPOSERS_DIFFER: /);
    expect(release?.composers).toEqual({
      '@apollo/composition': VERSION,
      '@theguild/federation-composition': VERSION,
    });
  });

  it('warns of a first release, without a comparison', async () => {
    const config = await differingConfig();
    expect(await trellis('publish', '--config', config)).toMatchObject({
      status: 0,
      out: /^warning: COMPOSERS_DIFFER: [^]*\npublished: content@production 1, release [0-9a-f]{12}\n$/,
    });
  });

  it('publishes nothing that composers differ in where it is strict, and asks one alone if wanted', async () => {
    const config = await differingConfig();
    expect(await trellis('publish', '--config', config, '--composers', 'strict')).toMatchObject({
      status: 1,
      out: /^error: COMPOSERS_DIFFER: [^]*\nrejected: nothing was changed\.\n$/,
    });
    expect(await trellis('publish', '--config', config, '--composers', 'other')).toMatchObject({
      status: 64,
    });
    const alone = await trellis('publish', '--config', config, '--composers', 'apollo');
    expect(alone).toMatchObject({ status: 0, out: /^published: content@production 1,/ });
    const [release] = await registry.releases();
    expect(release?.composers).toEqual({ '@apollo/composition': VERSION });
  });

  it('says that the same was published already, whatever the build', async () => {
    await registry.publish('users', USERS, '--commit', 'abc');
    const files = await registry.files();
    expect(await registry.publish('users', USERS, '--commit', 'def')).toMatchObject({
      status: 0,
      out: /^already published: content@production 1,/,
    });
    expect(await registry.files()).toEqual(files);
  });

  it.each([
    [
      'does not compose',
      gql`
        type Query {
          me: Missing
        }
      `,
      /users\.graphql:3:7: INVALID_GRAPHQL: \[users\] Unknown type Missing/,
    ],
    ['is no GraphQL', 'type {', /users\.graphql:2:6: INVALID_GRAPHQL/],
    ['breaks clients', USERS.replace('bio: String', ''), /breaking: User\.bio: FIELD_REMOVED/],
  ])('changes nothing where it %s', async (_title, sdl, message) => {
    await registry.publish('users', USERS);
    const files = await registry.files();
    const { status, out } = await registry.publish('users', sdl);
    expect([status, out]).toEqual([1, expect.stringMatching(message)]);
    expect(out).toContain('rejected: nothing was changed.');
    expect(await registry.files()).toEqual(files);
  });

  it('records who approved what broke', async () => {
    await registry.publish('users', USERS);
    const expires = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const approvals = await registry.write(
      'checks.yaml',
      `approvals:\n  - { change: FIELD_REMOVED User.bio, reason: unused, owner: team-users, expires: ${expires} }\n`,
    );
    const { status } = await registry.publish(
      'users',
      USERS.replace('bio: String', ''),
      '--approvals',
      approvals,
    );
    const { out } = await trellis('history', '--format', 'json');
    expect([status, JSON.parse(out)]).toMatchObject([
      0,
      { records: [{ approvals: [{ change: 'FIELD_REMOVED User.bio', owner: 'team-users', expires }] }, {}] },
    ]);
  });

  it('stores what was judged of a release with its record, and gc leaves it', async () => {
    await registry.publish('users', USERS);
    await registry.publish('users', USERS.replace('name: String', 'name: String age: Int'));
    await trellis('registry', 'gc', '--older-than', '0');
    const [judged, first] = await registry.verdicts();
    expect(first).toBeUndefined();
    expect(judged).toMatchObject({
      counts: { breaking: 0, safe: 2 },
      changes: [{ coordinate: 'User.age' }, { coordinate: 'users' }],
      order: { verdict: 'ordered', steps: [{ action: 'deploy', subgraph: 'users' }, { action: 'publish' }] },
    });
  });

  it('removes a subgraph', async () => {
    await registry.publish('users', USERS);
    await registry.publish('posts', POSTS.replace('author: User', '').replace(/type User [^]*/, ''));
    const unused = await registry.write('unused.json', '{"format":"trellis-operations/1","complete":true}\n');
    const removed = await trellis('publish', '--subgraph', 'posts', '--remove', '--operations', unused);
    const rejected = await trellis('publish', '--subgraph', 'posts', '--remove');
    expect([removed.status, rejected.status, rejected.out]).toMatchObject([0, 1, '']);
    expect(rejected.error).toContain('NOT_FOUND: content@production has no subgraph "posts".');
  });

  it('publishes a whole configuration', async () => {
    await registry.write('a.graphql', LINK + USERS);
    const config = await registry.write(
      'supergraph.yaml',
      'subgraphs:\n  users: { routing_url: "http://u/", schema: { file: a.graphql } }\n',
    );
    expect((await trellis('publish', '--config', config)).out).toMatch(/^published: content@production 1/);
  });

  it('is rejected where the subgraphs that run do not serve it', async () => {
    await registry.publish('users', USERS);
    const runs = await registry.write('running.graphql', LINK + USERS);
    const { status, out } = await registry.publish(
      'users',
      USERS.replace('bio: String', 'bio: String age: Int'),
      '--deployed',
      `users=${runs}`,
    );
    expect([status, out]).toEqual([1, expect.stringMatching(/not served: users as it runs fails: .*age/)]);
  });

  it('rejects names and versions that no reader takes, so that the log goes on', async () => {
    await registry.publish('users', USERS);
    const schema = await registry.write(
      'more.graphql',
      print(gql`
        ${LINK}
        type Query {
          more: Int
        }
      `),
    );
    const more = ['--schema', schema, '--routing-url', 'http://more.test/'];
    for (const name of ['a/b', '', ' ', '-x', 'a\nb', 'my.subgraph', 'a'.repeat(65)])
      expect(await trellis('publish', '--subgraph', name, ...more)).toMatchObject({
        status: 64,
        error: /^INVALID_NAME: ".*" is no name of a subgraph: /,
      });
    expect(
      await trellis('publish', '--subgraph', 'more', ...more, '--version', 'v'.repeat(257)),
    ).toMatchObject({
      status: 64,
      error: /^INVALID_NAME: The release can not be published: subgraphs\.\d\.version: /,
    });
    expect((await trellis('publish', '--subgraph', 'more', ...more)).out).toContain(
      'published: content@production 2,',
    );
    expect((await trellis('verify')).status).toBe(0);
  });
});
