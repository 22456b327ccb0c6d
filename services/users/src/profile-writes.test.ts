import { createId } from '@trellis/subgraph-kit';
import { startTestSubgraph, type TestSubgraph } from '@trellis/subgraph-kit/testing';
import type { Role, UserContext } from '@trellis/subgraph-protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildServer } from './server.ts';

let issuedAt = 1;
const user = (role: Role, id = createId(), name?: string): UserContext => ({
  user: { id, roles: [role], tokenIssuedAt: (issuedAt += 1), ...(name && { name }) },
  clientId: 'cli',
  scopes: ['read:data', 'read:profile', 'write:data'],
});
const administrator = user('ADMIN');

let users: TestSubgraph;
beforeAll(async () => {
  users = await startTestSubgraph({
    service: 'users',
    migrations: new URL('../migrations/', import.meta.url),
    buildServer,
  });
  await users.ask({ query: '{ me { id } }', as: administrator });
});
beforeEach(() => users.pool.query('TRUNCATE profile, outbox, idempotent_answer'));
afterAll(() => users.close());

async function create(input: object, as = administrator, idempotencyKey?: string) {
  const { data, errors } = await users.ask<{ createUser: Record<string, unknown> } | null>({
    query:
      'mutation ($input: CreateUserInput!) { createUser(input: $input) { id name email role createdAt } }',
    variables: { input },
    as,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
  return { user: data?.createUser, errors };
}
const count = async () => (await users.pool.query('SELECT FROM profile')).rowCount;
const published = async () =>
  (await users.pool.query('SELECT type, subject, payload FROM outbox ORDER BY position')).rows;

describe('Mutation.createUser', () => {
  it('makes a profile, a viewer by default, and publishes it', async () => {
    const { user: made, errors } = await create({ name: 'Zoë Quist', email: 'zoe@example.com' });
    expect(errors).toEqual([]);
    expect(made).toMatchObject({ name: 'Zoë Quist', email: 'zoe@example.com', role: 'VIEWER' });
    expect(await published()).toEqual([
      { type: 'user.saved', subject: made?.['id'], payload: { id: made?.['id'], name: 'Zoë Quist' } },
    ]);
    expect((await create({ name: 'E', role: 'EDITOR', email: null })).user).toMatchObject({
      role: 'EDITOR',
      email: null,
    });
  });

  it.each([
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(101) }],
    ['name', { name: 'a\nb' }],
    ['email', { email: '' }],
    ['email', { email: 'no-address' }],
    ['email', { email: 'a@b@c' }],
    ['email', { email: `${'x'.repeat(250)}@example.com` }],
    ['role', { role: 'ROOT' }],
  ])('rejects a %s that is not acceptable as BAD_USER_INPUT and names it (%#)', async (field, wrong) => {
    const { user: made, errors } = await create({ name: 'N', ...wrong });
    expect(made).toBeUndefined();
    expect(errors.map(({ extensions }) => [extensions['code'], extensions['field']])).toEqual([
      ['BAD_USER_INPUT', `input.${field}`],
    ]);
    expect([await count(), await published()]).toEqual([0, []]);
  });

  it.each([
    ['an editor', user('EDITOR'), 'FORBIDDEN'],
    ['a viewer', user('VIEWER'), 'FORBIDDEN'],
    ['a client that acts for itself', { clientId: 'robot', scopes: ['write:data'] }, 'FORBIDDEN'],
    ['an anonymous caller', { scopes: ['write:data'] }, 'UNAUTHENTICATED'],
  ])('is not for %s', async (_name, as, code) => {
    const { errors } = await create({ name: 'N' }, as);
    expect(errors[0]?.extensions['code']).toBe(code);
    expect((await users.pool.query("SELECT FROM profile WHERE name = 'N'")).rowCount).toBe(0);
  });

  it.each(["Robert'); DROP TABLE profile --", '$1', '{{7*7}}', '<b>N</b>'])(
    'S-099 stores the name %j as it is',
    async (name) => {
      expect((await create({ name })).user?.['name']).toBe(name);
    },
  );

  it.each(['id', 'createdAt', 'tokenIssuedAt', 'constructor', '__proto__'])(
    'S-098 has no field %s to be set by',
    async (field) => {
      const { errors } = await create(JSON.parse(`{"name": "N", "${field}": "x"}`) as object);
      expect(errors.map(({ extensions }) => extensions['code'])).toEqual(['BAD_USER_INPUT']);
      expect(await count()).toBe(0);
    },
  );

  it('makes as many as are asked for at once, and publishes each', async () => {
    const made = await Promise.all(Array.from({ length: 16 }, (_, index) => create({ name: `N ${index}` })));
    expect(new Set(made.map((one) => one.user?.['id'])).size).toBe(16);
    expect([await count(), (await published()).length]).toEqual([16, 16]);
  });

  it('makes one profile however often it is retried with a key', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => create({ name: 'Once' }, administrator, 'k')),
    );
    expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
    expect(await count()).toBe(1);
  });

  it('is never adopted by e-mail: a user who comes with a token gets a profile of their own', async () => {
    await create({ name: 'N', email: 'n@example.com' });
    const { data } = await users.ask<{ me: { id: string } }>({
      query: '{ me { id } }',
      as: user('VIEWER', createId(), 'N'),
    });
    await expect.poll(count).toBe(2); // a request waits for its profile, but not for long
    expect(data.me.id).not.toBe((await published())[0]?.subject);
  });
});

describe('events of profiles', () => {
  const seen = async (id: string, name?: string): Promise<void> => {
    await users.ask({ query: '{ me { id } }', as: user('VIEWER', id, name) });
  };

  it('is their first token, and each new name', async () => {
    const id = createId();
    const names = async (): Promise<readonly unknown[]> =>
      (await published()).map((event: { payload: { name: unknown } }) => event.payload.name);
    // A request waits for its profile, but not for long.
    await seen(id);
    await expect.poll(names).toEqual([null]);
    await seen(id, 'One');
    await expect.poll(names).toEqual([null, 'One']);
    await seen(id, 'One');
    await seen(id);
    await seen(id, 'Two');
    await expect.poll(names).toEqual([null, 'One', 'Two']);
  });
});
