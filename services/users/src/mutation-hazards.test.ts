import { createId } from '@trellis/subgraph-kit';
import {
  casesOf,
  meetHazard,
  mutationsOf,
  startTestSubgraph,
  type HazardTable,
  type Question,
  type TestSubgraph,
} from '@trellis/subgraph-kit/testing';
import type { Role, UserContext } from '@trellis/subgraph-protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildServer } from './server.ts';

const user = (role: Role): UserContext => ({
  user: { id: createId(), roles: [role], tokenIssuedAt: 1, name: role },
  clientId: 'cli',
  scopes: ['read:data', 'read:profile', 'write:data'],
});
const [administrator, editor, viewer] = [user('ADMIN'), user('EDITOR'), user('VIEWER')];
const robot: UserContext = { clientId: 'robot', scopes: ['write:data'] };
const anonymous: UserContext = { scopes: ['write:data'] };

let users: TestSubgraph;
beforeAll(async () => {
  users = await startTestSubgraph({
    service: 'users',
    migrations: new URL('../migrations/', import.meta.url),
    buildServer,
  });
  for (const as of [administrator, editor, viewer]) await users.ask({ query: '{ me { id } }', as });
});
beforeEach(() => users.pool.query('DELETE FROM profile; DELETE FROM outbox; DELETE FROM idempotent_answer'));
afterAll(() => users.close());

const create = (input: object, as = administrator): Question => ({
  query: 'mutation ($input: CreateUserInput!) { createUser(input: $input) { name email } }',
  variables: { input: { name: 'N', ...input } },
  as,
});
/** An address whose first part means something to SQL. */
const EMAIL = 'a\'"$1@example.com';
const badInput = (field: string) => ({ rejected: 'BAD_USER_INPUT', field: `input.${field}` });

const table: HazardTable = {
  createUser: {
    injection: ["Robert'); DROP TABLE profile --", '$1', '{"$ne": null}', '{{7*7}}', '<b>N</b>'].map(
      (name) => ({
        name,
        send: () => [create({ name, email: EMAIL })],
        outcome: { done: [1], response: { createUser: { name, email: EMAIL } } },
      }),
    ),
    overLong: [
      { name: 'name', send: () => [create({ name: 'x'.repeat(101) })], outcome: badInput('name') },
      {
        name: 'email',
        send: () => [create({ email: `${'x'.repeat(250)}@example.com` })],
        outcome: badInput('email'),
      },
    ],
    outOfRange: [
      ...['', ' \u200b', 'a\nb', 'a\0b', '\ud800'].map((name) => ({
        name: `name ${JSON.stringify(name)}`,
        send: () => [create({ name })],
        outcome: badInput('name'),
      })),
      ...['', 'no-address', 'a@b@c', 'a @b', '@b', 'a@'].map((email) => ({
        name: `email ${JSON.stringify(email)}`,
        send: () => [create({ email })],
        outcome: badInput('email'),
      })),
      { name: 'role', send: () => [create({ role: 'ROOT' })], outcome: badInput('role') },
    ],
    wrongRole: [
      { name: 'editor', send: () => [create({}, editor)], outcome: { rejected: 'FORBIDDEN' } },
      { name: 'viewer', send: () => [create({}, viewer)], outcome: { rejected: 'FORBIDDEN' } },
      { name: 'client for itself', send: () => [create({}, robot)], outcome: { rejected: 'FORBIDDEN' } },
      {
        name: 'anonymous caller',
        send: () => [create({}, anonymous)],
        outcome: { rejected: 'UNAUTHENTICATED' },
      },
    ],
    foreignOwner: [
      {
        name: 'the id of another user',
        send: () => [create({ id: viewer.user?.id })],
        outcome: { rejected: 'BAD_USER_INPUT', field: 'input' },
      },
    ],
    staleVersion: 'A new profile has no earlier version.',
    unknownId: 'It takes no id.',
    concurrent: [
      {
        name: 'sixteen, all with the same name and address',
        send: () => Array.from({ length: 16 }, () => create({ email: 'n@example.com' })),
        outcome: { done: [16] },
      },
    ],
  },
};

describe('Every mutation of users meets every hazard', () => {
  it('has all mutations in its table', async () => {
    expect(Object.keys(table)).toEqual(await mutationsOf(users));
  });

  it.each(casesOf(table))('%s', (_title, each) => meetHazard(users, ['profile'], each));
});
