import { join } from 'node:path';
import {
  createTemporaryDirectory,
  createTestDatabase,
  type TemporaryDirectory,
  type TestDatabase,
} from '@trellis/testkit';
import { createPool } from '@trellis/postgres';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPsql, makeDatabaseRoles, type RoleService } from '../../scripts/containers/database-roles.ts';
import {
  hasRedisServer,
  startGuardedRedis,
  type GuardedRedis,
} from '../../scripts/containers/guarded-redis.ts';
import { askGraph, dataOf } from '../harness/ask-graph.ts';
import { eventually } from '../harness/deadline.ts';
import { startPlatform, type PlatformProcess } from '../harness/platform-process.ts';
import { discover, signIn, type Tokens } from '../harness/sign-in.ts';

const isPossible = hasRedisServer() && hasPsql();

describe.skipIf(!isPossible)('H4: a user for each service (skipped without redis-server and psql 15)', () => {
  let directory: TemporaryDirectory;
  let database: TestDatabase;
  let roles: Readonly<Record<RoleService, string>>;
  let redis: GuardedRedis;
  let platform: PlatformProcess;
  let tokens: Tokens;

  beforeAll(async () => {
    directory = createTemporaryDirectory();
    [database, redis] = await Promise.all([createTestDatabase(), startGuardedRedis('state')]);
    roles = await makeDatabaseRoles(database.connectionString);
    platform = await startPlatform({
      dataDirectory: join(directory.path, 'data'),
      environment: {
        AUTH_DATABASE_URL: roles.auth,
        USERS_DATABASE_URL: roles.users,
        POSTS_DATABASE_URL: roles.posts,
        COMMENTS_DATABASE_URL: roles.comments,
        SEARCH_DATABASE_URL: roles.search,
        AUTH_REDIS_URL: redis.urlOf('auth-server'),
        GATEWAY_REDIS_URL: redis.urlOf('gateway'),
        USERS_REDIS_URL: redis.urlOf('users'),
        POSTS_REDIS_URL: redis.urlOf('posts'),
        COMMENTS_REDIS_URL: redis.urlOf('comments'),
        SEARCH_REDIS_URL: redis.urlOf('search'),
        PRESENCE_INTERVAL_S: '1',
      },
    });
    tokens = await signIn(platform.addresses.issuer);
  });

  afterAll(async () => {
    await platform.stop();
    await redis.stop();
    await database.drop();
    directory.remove();
  });

  const ask = <Data>(query: string) =>
    askGraph<Data>(platform.addresses.graph, { query, token: tokens.access_token });

  it('is enough to sign in, refresh, and be revoked at the gateway', async () => {
    const config = await discover(platform.addresses.issuer);
    const begun = await signIn(platform.addresses.issuer);
    const refreshed = await client.refreshTokenGrant(config, begun.refresh_token ?? '');
    const isRejected = async (): Promise<boolean> =>
      (await askGraph(platform.addresses.graph, { query: '{ me { name } }', token: refreshed.access_token }))
        .errors?.[0]?.extensions.code === 'UNAUTHENTICATED';
    expect(await isRejected()).toBe(false);
    await client.tokenRevocation(config, refreshed.refresh_token ?? '');
    await eventually(isRejected, (isOver) => isOver);
  });

  it('is enough for events: what posts writes is found by search and commented on', async () => {
    const create =
      'mutation { createPost(input: { title: "Wherewithal", body: "Of one service." }) { post { id } } }';
    const made = dataOf(await ask<{ createPost: { post: { id: string } } }>(create)).createPost.post;
    const comment = `mutation { addComment(postId: "${made.id}", body: "Mine.") { id } }`;
    expect((await ask(comment)).errors).toBeUndefined();
    await eventually(
      () => ask<{ search: object[] }>('{ search(query: "Wherewithal") { __typename } }'),
      ({ data }) => data?.search.length === 1,
    );
  });

  it('is enough for presence: the gateway publishes who is online, and users knows', async () => {
    await eventually(
      () => ask<{ onlineUsers: { id: string }[] }>('{ onlineUsers { id } }'),
      ({ data }) => (data?.onlineUsers.length ?? 0) > 0,
    );
  });

  it('lets no service complain of rights', () => {
    expect(platform.output.all).not.toMatch(/NOPERM|permission denied/);
  });

  it.each([
    ['SELECT password_hash FROM auth.account', /permission denied for schema auth/],
    ['CREATE TABLE public.x ()', /permission denied for schema public/],
    ['CREATE SCHEMA mine', /permission denied for database/],
    ['CREATE ROLE mine', /permission denied to create role/],
    ["COPY (SELECT 1) TO PROGRAM 'true'", /permission denied to COPY to or from an external program/],
    ["SELECT pg_read_file('/etc/passwd')", /permission denied for function/],
    ['SELECT rolpassword FROM pg_authid', /permission denied for table pg_authid/],
    ['SET ROLE trellis_auth', /permission denied to set role/],
    ['ALTER ROLE trellis_posts SUPERUSER', /permission denied|must be superuser/],
  ])('does not let the role of posts %s', async (statement, rejection) => {
    await expect(query(roles.posts, statement)).rejects.toThrow(rejection);
  });

  it('has roles that may run again, and keep what a superuser has left there', async () => {
    await query(database.connectionString, 'CREATE TABLE search.left_behind (id bigserial PRIMARY KEY)');
    await query(database.connectionString, "CREATE TYPE search.mood AS ENUM ('good')");
    await query(
      database.connectionString,
      'CREATE FUNCTION search.one() RETURNS int LANGUAGE sql AS $$SELECT 1$$',
    );
    const again = await makeDatabaseRoles(database.connectionString);
    for (const statement of [
      'INSERT INTO search.left_behind DEFAULT VALUES',
      'DROP TABLE search.left_behind',
      'DROP TYPE search.mood',
      'DROP FUNCTION search.one',
    ])
      await query(again.search, statement);
    await expect(query(roles.search, 'SELECT 1')).rejects.toThrow('password authentication failed');
  });
});

async function query(connectionString: string, statement: string): Promise<void> {
  const pool = createPool({ connectionString, schema: 'public', onIdleError: () => undefined });
  try {
    await pool.query(statement);
  } finally {
    await pool.end();
  }
}
