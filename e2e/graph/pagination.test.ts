import { beforeAll, describe, expect, it } from 'vitest';
import { askGraph, dataOf } from '../harness/ask-graph.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { TokenBook } from '../harness/token-book.ts';
import { allPosts, allUsers } from './content.ts';

const { graph, issuer } = sharedPlatform().addresses;
const tokens = new TokenBook(issuer);

interface Dated {
  readonly id: string;
  readonly createdAt: string;
}

interface ConnectionPage {
  readonly edges: readonly { readonly cursor: string }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

describe('Walking page by page', () => {
  it('through users by offset finds each once, oldest first', async () => {
    const whole = await allUsers(graph, await tokens.of('ada'));
    expect(whole.length).toBeGreaterThan(200);
    const walked = await walk(
      'query ($at: Int!) { list: users(limit: 7, offset: $at) { id createdAt } }',
      (seen) => seen.length,
    );
    expectEachOnce(walked);
    expect(walked.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
    expect(walked).toEqual(walked.toSorted(oldestFirst));
  });

  it('through posts by the last id finds each once, newest first', async () => {
    const whole = await allPosts(graph, await tokens.of('ada'));
    expect(whole.length).toBeGreaterThan(200);
    const walked = await walk(
      'query ($at: ID) { list: posts(first: 7, after: $at) { id createdAt } }',
      lastId,
    );
    expectEachOnce(walked);
    expect(walked.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
    expect(walked).toEqual(walked.toSorted(newestFirst));
  });

  describe('through what belongs to one thing', () => {
    let author: string;
    let discussed: { readonly id: string; readonly commentCount: number };

    beforeAll(async () => {
      const token = await tokens.of('ada');
      author = mostFrequent((await allPosts(graph, token)).map((post) => post.author.id));
      const response = await askGraph<{ posts: (typeof discussed)[] }>(graph, {
        query: '{ posts(first: 100) { id commentCount } }',
        token,
      });
      [discussed = { id: '', commentCount: 0 }] = dataOf(response).posts.toSorted(
        (a, b) => b.commentCount - a.commentCount,
      );
    });

    it('finds each post of a user once, newest first, and no others', async () => {
      const walked = await walk(
        `query ($at: ID) { user(id: "${author}") { list: posts(first: 3, after: $at) { id createdAt } } }`,
        lastId,
      );
      const posts = (await allPosts(graph, await tokens.of('ada'))).filter(
        (post) => post.author.id === author,
      );
      expectEachOnce(walked);
      expect(walked.map(({ id }) => id)).toEqual(posts.map(({ id }) => id));
    });

    it('finds as many comments of a post as are counted, each once, newest first', async () => {
      const walked = await walk(
        `query ($at: ID) { post(id: "${discussed.id}") { list: comments(limit: 3, after: $at) { id createdAt } } }`,
        lastId,
      );
      expect(discussed.commentCount).toBeGreaterThan(3);
      expect(walked).toHaveLength(discussed.commentCount);
      expectEachOnce(walked);
      expect(walked).toEqual(walked.toSorted(newestFirst));
    });
  });

  it.each([
    ['postsConnection(ARGS)', 'id'],
    ['usersConnection(ARGS)', 'id'],
    ['searchConnection(query: "coffee or garden or river", ARGS)', '__typename'],
  ])('A4: through %s meets the same forward and backward, each once', async (field, node) => {
    const token = await tokens.of('ada');
    const ask = async (args: string) => {
      const selected = `edges { cursor node { ${node} } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }`;
      const query = `{ list: ${field.replace('ARGS', args)} { ${selected} } }`;
      return dataOf(await askGraph<{ list: ConnectionPage }>(graph, { query, token })).list;
    };
    const walkForward = async (): Promise<readonly string[]> => {
      const met: string[] = [];
      for (let after = '', more = true; more;) {
        const { edges, pageInfo } = await ask(`first: 40${after}`);
        met.push(...edges.map(({ cursor }) => cursor));
        [after, more] = [`, after: "${pageInfo.endCursor}"`, pageInfo.hasNextPage];
      }
      expect(new Set(met).size).toBe(met.length);
      return met;
    };
    const first = await walkForward();
    const backward: string[] = [];
    for (let before = '', more = true; more;) {
      const { edges, pageInfo } = await ask(`last: 40${before}`);
      backward.unshift(...edges.map(({ cursor }) => cursor));
      [before, more] = [`, before: "${pageInfo.startCursor}"`, pageInfo.hasPreviousPage];
    }
    // Other tests write to the platform meanwhile: what was there before and after was there all the time.
    const last = new Set(await walkForward());
    const lasting = first.filter((cursor) => last.has(cursor));
    expect(lasting.length).toBeGreaterThan(40);
    expect(backward.filter((cursor) => lasting.includes(cursor))).toEqual(lasting);
  });

  it('A4: through connections below a list costs what the lists cost, and ends where they end', async () => {
    const query = `{ postsConnection(first: 5) { nodes { id comments(limit: 100) { id }
      commentsConnection(first: 100) { nodes { id } pageInfo { hasNextPage } }
      author { postsConnection(last: 1) { nodes { author { id } } } commentsConnection(first: 1) { pageInfo { hasNextPage } } } } } }`;
    const response = await askGraph<{
      postsConnection: { nodes: readonly { comments: object[]; commentsConnection: { nodes: object[] } }[] };
    }>(graph, { query, token: await tokens.of('ada') });
    const { nodes } = dataOf(response).postsConnection;
    expect(nodes).toHaveLength(5);
    for (const { comments, commentsConnection } of nodes)
      expect(commentsConnection).toEqual({ nodes: comments, pageInfo: { hasNextPage: false } });
  });

  it('A4: asks for no more than a page may have, and counts what it asks for', async () => {
    const token = await tokens.of('ada');
    const tooMany = await askGraph(graph, {
      query: '{ postsConnection(first: 101) { nodes { id } } }',
      token,
    });
    expect(tooMany.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'first' });
    const query =
      '{ usersConnection(last: 100) { edges { node { postsConnection(first: 100) { edges { node { title } } } } } } }';
    const dear = await askGraph(graph, { query, token });
    expect(dear.errors?.[0]?.extensions).toMatchObject({
      code: 'QUERY_TOO_COMPLEX',
      limit: { name: 'cost' },
    });
  });

  it('has defaults: 20 users, 20 posts, 10 posts of a user and 10 comments of a post at most', async () => {
    const response = await askGraph<{ users: { posts: unknown[] }[]; posts: { comments: unknown[] }[] }>(
      graph,
      {
        query: '{ users { posts { id } } posts { comments { id } } }',
        token: await tokens.of('ada'),
      },
    );
    const { users, posts } = dataOf(response);
    expect([users.length, posts.length]).toEqual([20, 20]);
    expect(Math.max(...users.map((user) => user.posts.length))).toBe(10);
    expect(Math.max(...posts.map((post) => post.comments.length))).toBeLessThanOrEqual(10);
  });

  it('returns times as ISO 8601 in UTC, with milliseconds', async () => {
    const [user] = await walk(
      'query ($at: Int!) { list: users(limit: 100, offset: $at) { id createdAt } }',
      (seen) => seen.length,
    );
    expect(user?.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });
});

/** Asks for `list` until a page is empty. @param cursor what the next page begins after */
async function walk(
  query: string,
  cursor: (seen: readonly Dated[]) => string | number | null,
): Promise<readonly Dated[]> {
  const token = await tokens.of('ada');
  const seen: Dated[] = [];
  for (;;) {
    const response = await askGraph(graph, { query, variables: { at: cursor(seen) }, token });
    const page = listIn(dataOf(response));
    if (page.length === 0) return seen;
    seen.push(...page);
    if (seen.length > 5000) throw new Error('The walk does not end.');
  }
}

/** The list is at the root, or one level below. */
function listIn(data: Readonly<Record<string, unknown>>): readonly Dated[] {
  const [root] = Object.values(data) as [readonly Dated[] | { readonly list: readonly Dated[] }];
  return 'list' in root ? root.list : root;
}

function lastId(seen: readonly Dated[]): string | null {
  return seen.at(-1)?.id ?? null;
}

function expectEachOnce(items: readonly Dated[]): void {
  expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
}

function oldestFirst(left: Dated, right: Dated): number {
  return left.createdAt.localeCompare(right.createdAt) || left.id.localeCompare(right.id);
}

function newestFirst(left: Dated, right: Dated): number {
  return oldestFirst(right, left);
}

function mostFrequent(words: readonly string[]): string {
  const count = (word: string): number => words.filter((other) => other === word).length;
  return words.reduce((most, word) => (count(word) > count(most) ? word : most), words[0] ?? '');
}
