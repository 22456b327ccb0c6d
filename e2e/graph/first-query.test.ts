import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { askGraph, dataOf, type GraphResponse } from '../harness/ask-graph.ts';
import { countProcesses } from '../harness/process-census.ts';
import { isOfBackground } from '../harness/postgres-tap.ts';
import { signIn, type Tokens } from '../harness/sign-in.ts';
import { startTappedPlatform, type TappedPlatform } from '../harness/tapped-platform.ts';

const query = `query First($users: Int, $posts: Int, $comments: Int) {
  users(limit: $users) {
    name
    posts(first: $posts) {
      title
      comments(limit: $comments) { body ... on TextComment { edited } }
      author { name }
    }
  }
}`;
const small = { users: 3, posts: 2, comments: 2 };

interface First {
  readonly users: readonly {
    readonly name: string;
    readonly posts: readonly {
      readonly title: string;
      readonly comments: readonly { readonly body: string; readonly edited: boolean }[];
      readonly author: { readonly name: string };
    }[];
  }[];
}

interface Connection<Node> {
  readonly edges: readonly { readonly node: Node }[];
}

interface WithComments {
  readonly commentsConnection: Connection<{ readonly body: string }>;
}

describe('The query that joins users, posts and comments', () => {
  let platform: TappedPlatform;
  let tokens: Tokens;

  beforeAll(async () => {
    platform = await startTappedPlatform();
    tokens = await signIn(platform.addresses.issuer);
    dataOf(await ask(small)); // the first one makes the profile of who asks, and the plan
  });

  afterAll(() => platform.close());

  beforeEach(() => platform.forget());

  it('responds with 200 with the data that each subgraph returns by itself', async () => {
    const response = await ask(small);
    expect(response.status).toBe(200);
    const { users } = dataOf(response);
    expect(users).toHaveLength(3);
    expect(users.flatMap(({ posts }) => posts).length).toBeGreaterThan(0);
    expect(users.flatMap(({ posts }) => posts.flatMap(({ comments }) => comments)).length).toBeGreaterThan(0);
    for (const user of users) for (const post of user.posts) expect(post.author.name).toBe(user.name);
    expect(users).toEqual(await gatherOneByOne());
  });

  it('takes at most 5 subgraph requests and one statement per type and level, however much it returns', async () => {
    for (const variables of [small, { users: 40, posts: 5, comments: 3 }]) {
      platform.forget();
      dataOf(await ask(variables));
      expect(platform.subgraphRequests()).toBeLessThanOrEqual(5);
      expect(statementsOf('posts').length, statementsOf('posts').join('\n')).toBeLessThanOrEqual(1);
      expect(statementsOf('comments').length, statementsOf('comments').join('\n')).toBeLessThanOrEqual(1);
      expect(statementsOf('users').length, statementsOf('users').join('\n')).toBeLessThanOrEqual(2);
      expect(statementsOf('posts').length + statementsOf('comments').length).toBe(2);
    }
  });

  it('takes one statement per level for connections within connections, however many edges they have', async () => {
    const counted = [];
    for (const first of [2, 10]) {
      const nested = `{
        postsConnection(first: ${first}) {
          edges {
            cursor
            node { title commentsConnection(first: ${first}) { edges { node { body author { name } } } pageInfo { hasNextPage } } }
          }
          pageInfo { hasNextPage endCursor }
        }
      }`;
      const { postsConnection: posts } = await read<{ postsConnection: Connection<WithComments> }>(nested);
      expect(posts.edges).toHaveLength(first);
      expect(posts.edges.flatMap(({ node }) => node.commentsConnection.edges).length).toBeGreaterThan(0);
      platform.forget();
      await read(nested);
      expect(platform.subgraphRequests()).toBeLessThanOrEqual(3);
      counted.push(['posts', 'comments', 'users'].map((service) => statementsOf(service).length));
    }
    expect(counted).toEqual([
      [1, 1, 1],
      [1, 1, 1],
    ]);
  });

  it('reaches the subgraphs with a signed context, and with nothing else of the client (S-062)', async () => {
    await ask(small, tokens.access_token, {
      cookie: 'session=x',
      'x-user-id': 'ada',
      'x-user-roles': 'ADMIN',
      'trellis-user-context': 'forged',
      'x-forwarded-user': 'ada',
    });
    const requests = Object.values(platform.taps).flatMap((tap) => tap.requests);
    expect(requests.length).toBeGreaterThanOrEqual(3);
    for (const { headers } of requests) {
      expect(headers['trellis-user-context']).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
      for (const name of ['authorization', 'cookie', 'x-user-id', 'x-user-roles', 'x-forwarded-user'])
        expect(headers).not.toHaveProperty(name);
    }
  });

  it('signs a context for each subgraph alone, for a minute at most (S-062)', async () => {
    await ask(small);
    for (const [name, { requests }] of Object.entries(platform.taps)) {
      const [, payload = ''] = String(requests[0]?.headers['trellis-user-context']).split('.');
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
      expect(claims['aud']).toBe(name);
      expect(Number(claims['exp']) - Number(claims['iat'])).toBeLessThanOrEqual(60);
    }
  });

  it('answers UNAUTHENTICATED without a token, and asks no subgraph', async () => {
    const response = await askGraph<First>(platform.addresses.graph, { query, variables: small });
    expectRejected(response);
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(response.headers.get('www-authenticate')).not.toContain('error=');
  });

  it('answers the same for tokens that are not for the graph, tampered with or unsigned, and asks no subgraph (A-146)', async () => {
    const [header = '', payload = '', signature = ''] = tokens.access_token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    const flipped = `${signature.slice(0, 10)}${signature[10] === 'A' ? 'B' : 'A'}${signature.slice(11)}`;
    const wrong = {
      'another signature': `${header}.${payload}.${flipped}`,
      'other claims': `${header}.${encode({ ...claims, roles: ['ADMIN'], scope: 'everything' })}.${signature}`,
      'alg none': `${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
      'alg nOnE': `${encode({ alg: 'nOnE', typ: 'at+jwt' })}.${payload}.${signature}`,
      'no signature': `${header}.${payload}.`,
      'an id_token': tokens.id_token ?? '',
      'a refresh token': tokens.refresh_token ?? '',
      garbage: 'garbage',
    };
    for (const [what, token] of Object.entries(wrong)) {
      const response = await askGraph<First>(platform.addresses.graph, { query, variables: small, token });
      expectRejected(response, what);
      expect(response.headers.get('www-authenticate'), what).toContain('error="invalid_token"');
    }
  });

  it('stands on the PostgreSQL and the Redis that it was given, and starts none of its own', () => {
    const commands = countProcesses({ id: 'none', directory: platform.environment['DATA_DIR'] ?? '' });
    expect(commands.filter(({ command }) => /postgres|redis/.test(command))).toEqual([]);
    expect(platform.output.all).toMatch(/PostgreSQL +\S+, given by DATABASE_URL/);
    expect(platform.output.all).toMatch(/Redis +\S+, given by REDIS_URL/);
  });

  function ask(
    variables: Readonly<Record<string, number>>,
    token: string = tokens.access_token,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<GraphResponse<First>> {
    return askGraph<First>(platform.addresses.graph, { query, variables, token, headers });
  }

  function statementsOf(service: string): readonly string[] {
    return platform.postgres.statements
      .filter(({ application }) => application === `trellis-${service}`)
      .filter(({ text }) => !isOfBackground(text))
      .map(({ text }) => text);
  }

  function expectRejected(response: GraphResponse<First>, what = ''): void {
    expect([what, response.status]).toEqual([what, 401]);
    expect(response.data ?? null).toBeNull();
    expect(response.errors?.map(({ extensions }) => extensions.code)).toEqual(['UNAUTHENTICATED']);
    expect(platform.subgraphRequests(), what).toBe(0);
  }

  /** The same data by many small queries, none of which needs more than one subgraph for its list. */
  async function gatherOneByOne(): Promise<First['users']> {
    const { users } = await read<{ users: { id: string; name: string }[] }>(
      '{ users(limit: 3) { id name } }',
    );
    return Promise.all(
      users.map(async ({ id, name }) => {
        const { user } = await read<{ user: { posts: { id: string; title: string }[] } }>(
          `{ user(id: "${id}") { posts(first: 2) { id title } } }`,
        );
        return { name, posts: await Promise.all(user.posts.map((post) => gatherPost(post))) };
      }),
    );
  }

  async function gatherPost({ id, title }: { readonly id: string; readonly title: string }) {
    const { post } = await read<{ post: Pick<First['users'][number]['posts'][number], 'comments'> }>(
      `{ post(id: "${id}") { comments(limit: 2) { body ... on TextComment { edited } } } }`,
    );
    const { post: written } = await read<{ post: { author: { id: string } } }>(
      `{ post(id: "${id}") { author { id } } }`,
    );
    const { user } = await read<{ user: { name: string } }>(`{ user(id: "${written.author.id}") { name } }`);
    return { title, comments: post.comments, author: { name: user.name } };
  }

  async function read<Data>(text: string): Promise<Data> {
    const { graph } = platform.addresses;
    return dataOf(await askGraph<Data>(graph, { query: text, token: tokens.access_token }));
  }
});

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
