import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import { createPool, inTransaction, type Pool } from '@trellis/postgres';
import { createTemporaryDirectory, createTestDatabase, proof } from '@trellis/testkit';
import { askGraph, dataOf, type GraphResponse } from '../harness/ask-graph.ts';
import { startPlatform, type PlatformProcess } from '../harness/platform-process.ts';
import { signIn } from '../harness/sign-in.ts';

/** A query of which one field hangs while a table is locked, and all that must be answered all the same. */
interface Case {
  readonly table: string;
  readonly query: string;
  /** The path of each field that hangs. */
  readonly hanging: readonly (readonly (string | number)[])[];
}

const LIMIT_MS = 5_000;
/** What the gateway, and a machine that does something else beside, may add. */
const TOLERANCE_MS = 3_500;

proof({
  name: 'hanging-resolvers',
  description:
    'a resolver that hangs is ended at 5,000 ms with an error of its own, and the rest of the response arrives',
  async run() {
    const directory = createTemporaryDirectory();
    const database = await createTestDatabase();
    const pool = createPool({ connectionString: database.connectionString, schema: 'public' });
    const platform = await startPlatform({
      dataDirectory: join(directory.path, 'data'),
      environment: { DATABASE_URL: database.connectionString },
    });
    try {
      return await prove(platform, pool);
    } finally {
      await platform.stop();
      await pool.end();
      await database.drop();
      directory.remove();
    }
  },
});

async function prove({ addresses }: PlatformProcess, pool: Pool) {
  const { access_token: token } = await signIn(addresses.issuer);
  const ask = (query: string): Promise<GraphResponse<object>> =>
    askGraph<object>(addresses.graph, { query, token });
  const elapsed: number[] = [];
  const problems: string[] = [];
  for (const one of await chooseCases(ask)) {
    const expected = withNulls(dataOf(await ask(one.query)), one.hanging);
    const startedAt = performance.now();
    const response = await whileLocked(pool, one.table, () => ask(one.query));
    elapsed.push(Math.round(performance.now() - startedAt));
    problems.push(...problemsOf(response, expected, one));
  }
  const [shortest, longest] = [Math.min(...elapsed), Math.max(...elapsed)];
  return {
    passed: problems.length === 0 && shortest >= LIMIT_MS - 100 && longest <= LIMIT_MS + TOLERANCE_MS,
    figures: {
      cases: elapsed.length,
      shortestMs: shortest,
      longestMs: longest,
      problems: problems.join('; ') || 'none',
    },
  };
}

async function chooseCases(ask: (query: string) => Promise<GraphResponse<object>>): Promise<readonly Case[]> {
  const { posts } = dataOf(await ask('{ posts(first: 1) { id } }')) as { posts: { id: string }[] };
  return [
    {
      table: 'comments.comment',
      query: '{ posts(first: 2) { title commentCount } users(limit: 1) { name } }',
      hanging: [
        ['posts', 0, 'commentCount'],
        ['posts', 1, 'commentCount'],
      ],
    },
    {
      table: 'posts.post',
      query: `{ post(id: "${posts[0]?.id}") { title } users(limit: 2) { name } }`,
      hanging: [['post']],
    },
    { table: 'users.profile', query: '{ me { name } posts(first: 1) { title } }', hanging: [['me']] },
  ];
}

/** No one else reads or writes the table until the work is done. */
function whileLocked<Result>(pool: Pool, table: string, work: () => Promise<Result>): Promise<Result> {
  return inTransaction(pool, async (transaction) => {
    await transaction.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    await transaction.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    return work();
  });
}

function problemsOf(
  { data, errors = [] }: GraphResponse<object>,
  expected: object,
  one: Case,
): readonly string[] {
  const paths = errors.map(({ path }) => path);
  return [
    ...(isDeepStrictEqual(data, expected) ? [] : [`${one.table}: the rest is ${JSON.stringify(data)}`]),
    ...(isDeepStrictEqual(paths, one.hanging) ? [] : [`${one.table}: errors at ${JSON.stringify(paths)}`]),
    ...errors
      .filter(({ message }) => !message.includes(`took longer than ${LIMIT_MS} ms`))
      .map(({ message }) => `${one.table}: ${message}`),
  ];
}

/** The same data, with null at some places. */
function withNulls(data: object, paths: Case['hanging']): object {
  const copy = structuredClone(data);
  for (const path of paths) {
    let parent = copy as Record<string | number, unknown>; // data of GraphQL is made of objects and lists
    for (const key of path.slice(0, -1)) parent = parent[key] as Record<string | number, unknown>;
    parent[path.at(-1) ?? ''] = null;
  }
  return copy;
}
