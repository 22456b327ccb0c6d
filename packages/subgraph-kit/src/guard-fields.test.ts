import { readFileSync } from 'node:fs';
import { buildASTSchema, graphql, isObjectType, parse } from 'graphql';
import { gql } from 'graphql-tag';
import type { UserContext } from '@trellis/subgraph-protocol';
import { describe, expect, it } from 'vitest';
import { buildExecutableSchema } from './build-executable-schema.ts';
import { readDeclaredRights, type DeclaredRight } from './declared-rights.ts';
import { guardFields } from './guard-fields.ts';

const link = (imports: string): string =>
  `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: [${imports}])`;
const right = (given: Partial<DeclaredRight>): DeclaredRight => ({
  authenticated: false,
  scopes: [],
  policies: [],
  ...given,
});

describe('L7: The rights that a schema declares', () => {
  it('are those of a field, of its type, and of the type that it returns', () => {
    const rights = readDeclaredRights(gql`
      ${link('"@key", "@authenticated", "@requiresScopes", "@policy"')}
      type Query {
        open: String
        box: Box @requiresScopes(scopes: [["a", "b"], ["c"]])
        level: Level
      }
      type Box @authenticated {
        id: ID
      }
      extend type Box @policy(policies: [["role:X"]]) {
        size: Int @requiresScopes(scopes: [["d"]])
      }
      enum Level @authenticated {
        LOW
      }
    `);
    const ofBox = { authenticated: true, policies: [[['role:X']]] };
    expect(Object.fromEntries(rights)).toEqual({
      'Query.box': right({ ...ofBox, scopes: [[['a', 'b'], ['c']]] }),
      'Query.level': right({ authenticated: true }),
      'Box.id': right(ofBox),
      'Box.size': right({ ...ofBox, scopes: [[['d']]] }),
    });
  });

  it.each([
    [
      'under another name',
      gql`
        ${link('{ name: "@authenticated", as: "@login" }')}
        type Query {
          a: Int @login
        }
      `,
    ],
    [
      'under the name of the link',
      gql`
        ${link('"@key"')}
        type Query {
          a: Int @federation__authenticated
        }
      `,
    ],
    [
      'under a prefix',
      gql`
        extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", as: "fed")
        type Query {
          a: Int @fed__authenticated
        }
      `,
    ],
  ])('are found %s', (_title, schema) => {
    expect([...readDeclaredRights(schema).keys()]).toEqual(['Query.a']);
  });

  it('leave keys open, which the gateway asks for to join objects', () => {
    const rights = readDeclaredRights(gql`
      ${link('"@key", "@authenticated"')}
      type Query {
        a: Int
      }
      type T @key(fields: "id owner { id }") @authenticated {
        id: ID
        owner: Owner
        name: String
      }
      type Owner @authenticated {
        id: ID
        name: String
      }
    `);
    expect([...rights.keys()]).toEqual(['T.name', 'Owner.name']);
  });
});

const anonymous: UserContext = { scopes: [] };
const user = (roles: readonly string[], ...scopes: string[]): UserContext => ({
  user: { id: 'ada', roles, tokenIssuedAt: 1 },
  scopes,
});

describe('L7: A guarded field', () => {
  const typeDefs = gql`
    type Query {
      field: Int
    }
  `;
  const schema = buildASTSchema(typeDefs);
  const ask = async (given: Partial<DeclaredRight>, userContext: UserContext): Promise<unknown> => {
    const own = buildASTSchema(typeDefs);
    guardFields(own, new Map([['Query.field', right(given)]]));
    const { data, errors } = await graphql({
      schema: own,
      source: '{ field }',
      rootValue: { field: 7 },
      contextValue: { userContext },
    });
    return errors?.[0]?.extensions['code'] ?? data?.['field'];
  };
  const scopes = [[['a', 'b'], ['c']]];

  it.each<[string, Partial<DeclaredRight>, UserContext, unknown]>([
    ['anonymous, a login', { authenticated: true }, anonymous, 'UNAUTHENTICATED'],
    ['a user, a login', { authenticated: true }, user([]), 7],
    ['a client, a login', { authenticated: true }, { clientId: 'robot', scopes: [] }, 7],
    ['a group, a login', { authenticated: true }, { groupRoles: [], scopes: [] }, 7],
    ['anonymous, a scope', { scopes }, anonymous, 'UNAUTHENTICATED'],
    ['a user with half of a set', { scopes }, user([], 'a'), 'FORBIDDEN'],
    ['a user with a set', { scopes }, user([], 'b', 'a'), 7],
    ['a user with another set', { scopes }, user([], 'c'), 7],
    ['two requirements, of which one is met', { scopes: [[['a']], [['b']]] }, user([], 'a'), 'FORBIDDEN'],
    ['a role that is lacking', { policies: [[['role:ADMIN']]] }, user(['EDITOR']), 'FORBIDDEN'],
    ['a role', { policies: [[['role:ADMIN']]] }, user(['ADMIN']), 7],
    ['the role of a group', { policies: [[['role:ADMIN']]] }, { groupRoles: ['ADMIN'], scopes: [] }, 7],
    ['a policy that holds', { policies: [[['vetted']]] }, { ...user([]), policies: ['vetted'] }, 7],
    ['a policy that does not', { policies: [[['vetted']]] }, { ...user([]), policies: ['x'] }, 'FORBIDDEN'],
    [
      'a role that passes for a policy',
      { policies: [[['role:X']]] },
      { ...user([]), policies: ['role:X'] },
      'FORBIDDEN',
    ],
    ['a clause that no user can meet', { scopes: [[]] }, user(['ADMIN'], 'a'), 'FORBIDDEN'],
  ])('is answered as it says: %s', async (_title, given, context, expected) => {
    expect(await ask(given, context)).toBe(expected);
  });

  it('does not take one caller for another, nor a context that is none for a caller', async () => {
    guardFields(schema, new Map([['Query.field', right({ authenticated: true })]]));
    const field = schema.getQueryType()?.getFields()['field'];
    const as = (context: unknown): unknown =>
      field?.resolve?.({ field: 7 }, {}, context, { fieldName: 'field' } as never);
    expect(as({ userContext: user([]) })).toBe(7);
    expect(() => as({ userContext: anonymous })).toThrow();
    expect(() => as({})).toThrow();
  });
});

const SERVICES = ['users', 'posts', 'comments', 'search'];

describe.each(SERVICES)('L7: Of the subgraph %s', (service) => {
  const typeDefs = new URL(`../../../services/${service}/src/schema.graphql`, import.meta.url);
  const rights = readDeclaredRights(parse(readFileSync(typeDefs, 'utf8')));
  const names = [...rights.keys()].flatMap((name) => /^Subscription\.(.+)/.exec(name)?.[1] ?? []);
  const Subscription = Object.fromEntries(names.map((name) => [name, { subscribe: () => undefined }]));
  const resolvers = names.length > 0 ? { Subscription } : {};
  const schema = buildExecutableSchema({ typeDefs, resolvers, resolverTimeoutMs: 1_000 });

  it.each([...rights.keys()])('%s is denied to a context without the right', (coordinate) => {
    const [typeName = '', fieldName = ''] = coordinate.split('.');
    const type = schema.getType(typeName);
    const field = isObjectType(type) ? type.getFields()[fieldName] : undefined;
    const resolvers = [field?.resolve, ...(typeName === 'Subscription' ? [field?.subscribe] : [])];
    for (const resolve of resolvers) {
      const asking = (userContext: UserContext) => () =>
        resolve?.({}, {}, { userContext }, { fieldName } as never);
      expect(resolve).toBeDefined();
      expect(asking(user(['VIEWER']))).toThrow(/scope|may not/);
      expect(asking(anonymous)).toThrow(/token|sign/i);
    }
  });

  it('every root field declares what it needs, but for those of federation', () => {
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    const fields = roots.flatMap((type) =>
      Object.keys(type?.getFields() ?? {}).map((name) => `${type?.name}.${name}`),
    );
    const open = fields.filter((coordinate) => !rights.has(coordinate));
    expect(open.filter((coordinate) => !coordinate.startsWith('Query._'))).toEqual([]);
  });
});
