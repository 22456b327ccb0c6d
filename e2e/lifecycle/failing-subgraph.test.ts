import { join } from 'node:path';
import { createPool, type Pool } from '@trellis/postgres';
import {
  createTemporaryDirectory,
  createTestDatabase,
  type TemporaryDirectory,
  type TestDatabase,
} from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askGraph, type GraphResponse } from '../harness/ask-graph.ts';
import { eventually } from '../harness/deadline.ts';
import { startPlatform, type PlatformProcess } from '../harness/platform-process.ts';
import { signIn } from '../harness/sign-in.ts';

interface Overview {
  readonly users: readonly { readonly name: string }[];
  readonly post: { readonly title: string } | null;
}

/** Not one of ours: the migration of the posts subgraph stumbles over it. */
const FOREIGN_SCHEMA = 'CREATE SCHEMA posts; CREATE TABLE posts.post (kilometres int)';

describe('A subgraph that can’t start', () => {
  let directory: TemporaryDirectory;
  let database: TestDatabase;
  let pool: Pool;
  let platform: PlatformProcess;
  let token: string;

  beforeAll(async () => {
    directory = createTemporaryDirectory();
    database = await createTestDatabase();
    pool = createPool({ connectionString: database.connectionString, schema: 'public' });
    await pool.query(FOREIGN_SCHEMA);
    platform = await startPlatform({
      dataDirectory: join(directory.path, 'data'),
      environment: { DATABASE_URL: database.connectionString },
    });
    ({ access_token: token } = await signIn(platform.addresses.issuer));
  });

  afterAll(async () => {
    await platform.stop();
    await pool.end();
    await database.drop();
    directory.remove();
  });

  function ask(): Promise<GraphResponse<Overview>> {
    const query = '{ users(limit: 1) { name } post(id: "01941f29-7c00-7a00-8000-000000000000") { title } }';
    return askGraph<Overview>(platform.addresses.graph, { query, token });
  }

  it('is logged in words, and leaves the gateway serving everything else', async () => {
    expect(platform.output.all).toMatch(
      /posts could not be started, and is tried again: .*relation "post" already exists/,
    );
    expect(platform.output.all).toMatch(/posts does not serve yet; .* The rest serves meanwhile\./);
    const { status, data, errors } = await ask();
    expect(status).toBe(200);
    expect(data).toEqual({ users: [{ name: expect.any(String) as string }], post: null });
    expect(errors?.map(({ path }) => path)).toEqual([['post']]);
  });

  it('serves as soon as it can', async () => {
    await pool.query('DROP TABLE posts.post');
    await eventually(ask, ({ errors }) => errors === undefined);
    expect(platform.output.all).toContain('posts serves now.');
  });
});
