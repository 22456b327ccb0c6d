import { join } from 'node:path';
import {
  createTemporaryDirectory,
  createTestDatabase,
  hasPgBouncer,
  startTestPgBouncer,
  type TemporaryDirectory,
  type TestDatabase,
  type TestPgBouncer,
} from '@trellis/testkit';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askGraph, dataOf } from '../harness/ask-graph.ts';
import { eventually } from '../harness/deadline.ts';
import { startPlatform, type PlatformProcess } from '../harness/platform-process.ts';
import { discover, signIn, type Tokens } from '../harness/sign-in.ts';

/** Less than the services' connections together: each session of the server serves many of them. */
const FEW_SESSIONS = ['default_pool_size = 12'];

describe.skipIf(!hasPgBouncer)(
  'C3: a platform behind PgBouncer in transaction mode (skipped without pgbouncer)',
  () => {
    let directory: TemporaryDirectory;
    let database: TestDatabase;
    let pooler: TestPgBouncer;
    let platform: PlatformProcess;
    let tokens: Tokens;

    beforeAll(async () => {
      directory = createTemporaryDirectory();
      database = await createTestDatabase();
      pooler = await startTestPgBouncer({
        connectionString: database.connectionString,
        settings: FEW_SESSIONS,
      });
      platform = await startPlatform({
        dataDirectory: join(directory.path, 'data'),
        environment: { DATABASE_URL: pooler.connectionString },
      });
      tokens = await signIn(platform.addresses.issuer);
    });
    afterAll(async () => {
      await platform?.stop();
      await pooler?.stop();
      await database?.drop();
      directory?.remove();
    });

    const ask = <Data>(query: string) =>
      askGraph<Data>(platform.addresses.graph, { query, token: tokens.access_token });
    const createPost = (title: string) =>
      ask<{ createPost: { post: { id: string } } }>(
        `mutation { createPost(input: { title: "${title}", body: "Pooled." }) { post { id } } }`,
      );
    const isFound = (title: string) =>
      eventually(
        () => ask<{ search: object[] }>(`{ search(query: "${title}") { __typename } }`),
        ({ data }) => data?.search.length === 1,
      );

    it('signs in and refreshes', async () => {
      const config = await discover(platform.addresses.issuer);
      const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
      tokens = { ...tokens, ...refreshed };
      expect(dataOf(await ask<{ me: { name: string } }>('{ me { name } }')).me.name).toBeTruthy();
    });

    it('writes, and events reach who consumes them', async () => {
      expect((await createPost('Poolside')).errors).toBeUndefined();
      await isFound('Poolside');
    });

    it('responds with 200 queries at once from fewer sessions', async () => {
      const responses = await Promise.all(
        Array.from({ length: 200 }, () => ask('{ posts(first: 3) { title author { name } } }')),
      );
      expect(responses.filter(({ errors }) => errors)).toEqual([]);
    });

    it('F-09 goes on by itself when the pooler was restarted', async () => {
      await pooler.restart();
      await eventually(
        () => createPost('Refilled'),
        ({ errors }) => errors === undefined,
      );
      await isFound('Refilled');
    });
  },
);
