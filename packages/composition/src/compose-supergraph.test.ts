import { createRequire } from 'node:module';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apiSchemaOf } from './api-schema.ts';
import { composeSupergraph, federationVersion } from './compose-supergraph.ts';
import { formatDiagnostic } from './diagnostic.ts';
import { readSupergraphConfig, type SubgraphConfig } from './supergraph-config.ts';
import {
  composeSchemas,
  errorsOf,
  sdlOf,
  supergraphOf,
  type Schemas,
  type SchemaSource,
} from './testing/compose-schemas.ts';

const federation2 = print(gql`
  extend schema
    @link(
      url: "https://specs.apollo.dev/federation/v2.9"
      import: [
        "@key"
        "@shareable"
        "@override"
        "@tag"
        "@inaccessible"
        "@external"
        "@requires"
        "@provides"
      ]
    )
`);

/** A Federation 2 schema; its own lines begin at 2. */
function fed2(schema: SchemaSource): string {
  return `${federation2}\n${sdlOf(schema)}`;
}

function hintsOf(schemas: Schemas): readonly string[] {
  const composition = composeSchemas(schemas);
  if (composition.kind === 'failed') throw new Error(composition.errors.map(formatDiagnostic).join('\n'));
  return composition.hints.map(formatDiagnostic);
}

describe('Composition rule 1 and 2: entities and their extensions', () => {
  const users = gql`
    type Query {
      me: User
    }
    type User @key(fields: "id") {
      id: ID!
      name: String!
    }
  `;
  const fed1Posts = gql`
    extend type User @key(fields: "id") {
      id: ID! @external
      posts: [String!]!
    }
  `;
  const fed2Posts = fed2(gql`
    type User @key(fields: "id") {
      id: ID!
      posts: [String!]!
    }
  `);

  it('composes Federation 1 subgraphs', () => {
    expect(userFields(supergraphOf({ users, posts: fed1Posts }))).toEqual(['id', 'name', 'posts']);
  });

  it('composes Federation 1 and Federation 2 subgraphs', () => {
    expect(userFields(supergraphOf({ users, posts: fed2Posts }))).toEqual(['id', 'name', 'posts']);
    expect(userFields(supergraphOf({ users: fed2(users), posts: fed1Posts }))).toEqual([
      'id',
      'name',
      'posts',
    ]);
  });

  it('says which field of which subgraph no query can reach', () => {
    expect(
      errorsOf({
        users: fed2('type Query { me: User }\ntype User @key(fields: "id") { id: ID! }'),
        posts: fed2('type User @key(fields: "uuid") {\n  uuid: ID!\n  posts: [String!]!\n}'),
      }),
    ).toEqual([
      expect.stringMatching(/^posts\.graphql:3:3: SATISFIABILITY_ERROR: [^]*cannot find field "User\.uuid"/),
      expect.stringMatching(/^posts\.graphql:4:3: SATISFIABILITY_ERROR: [^]*cannot find field "User\.posts"/),
    ]);
  });

  it('lets a field require one of another subgraph', () => {
    const supergraph = supergraphOf({
      users: fed2(gql`
        type Query {
          me: User
        }
        type User @key(fields: "id") {
          id: ID!
          name: String!
        }
      `),
      posts: fed2(gql`
        type User @key(fields: "id") {
          id: ID!
          name: String! @external
          byline: String! @requires(fields: "name")
        }
      `),
    });
    expect(supergraph).toContain('byline: String! @join__field(graph: POSTS, requires: "name")');
  });

  function userFields(supergraph: string): readonly string[] {
    const user = apiSchemaOf(supergraph).getType('User');
    if (!user || !('getFields' in user)) throw new Error('There is no User.');
    return Object.keys(user.getFields()).toSorted();
  }
});

describe('Composition rule 3: the directives of Federation 2', () => {
  it('rejects a field of two subgraphs that is not @shareable, at both places', () => {
    const sdl = fed2('type Query {\n  "who" version: String!\n}');
    expect(errorsOf({ users: sdl, posts: sdl })).toEqual([
      expect.stringMatching(
        /^posts\.graphql:3:9: INVALID_FIELD_SHARING: .*"Query\.version".*\n {2}also users\.graphql:3:9$/,
      ),
    ]);
  });

  it('accepts it when both say @shareable', () => {
    const sdl = fed2(gql`
      type Query {
        version: String! @shareable
      }
    `);
    expect(supergraphOf({ users: sdl, posts: sdl })).toContain('version: String!');
  });

  it('moves a field with @override and reports when the old definition can go', () => {
    const schemas = {
      users: fed2('type Query { me: User }\ntype User @key(fields: "id") {\n  id: ID!\n  bio: String\n}'),
      profiles: fed2('type User @key(fields: "id") { id: ID! bio: String @override(from: "users") }'),
    };
    expect(supergraphOf(schemas)).toContain('bio: String @join__field(graph: PROFILES, override: "users")');
    expect(hintsOf(schemas)).toEqual([
      expect.stringMatching(/^users\.graphql:5:3: OVERRIDDEN_FIELD_CAN_BE_REMOVED: .*"User\.bio"/),
    ]);
  });

  it('keeps the label of a progressive @override', () => {
    const supergraph = supergraphOf({
      users: fed2(gql`
        type Query {
          me: User
        }
        type User @key(fields: "id") {
          id: ID!
          bio: String
        }
      `),
      profiles: fed2(gql`
        type User @key(fields: "id") {
          id: ID!
          bio: String @override(from: "users", label: "percent(5)")
        }
      `),
    });
    expect(supergraph).toContain('overrideLabel: "percent(5)"');
  });

  it('keeps @tag in the supergraph', () => {
    expect(
      supergraphOf({
        users: fed2(gql`
          type Query {
            me: String @tag(name: "public")
          }
        `),
      }),
    ).toContain('me: String @tag(name: "public")');
  });

  it('hides what is @inaccessible in any one subgraph from the API schema', () => {
    const supergraph = supergraphOf({
      users: fed2(gql`
        type Query {
          me: User
        }
        type User @key(fields: "id") {
          id: ID!
          name: String @shareable
        }
      `),
      posts: fed2(gql`
        type User @key(fields: "id") {
          id: ID!
          name: String @shareable @inaccessible
        }
      `),
    });
    expect(supergraph).toContain('@inaccessible');
    const user = apiSchemaOf(supergraph).getType('User');
    expect(user && 'getFields' in user && Object.keys(user.getFields())).toEqual(['id']);
  });

  it('shows the fields that clients of an API with guards see', () => {
    const guarded = gql`
      extend schema
        @link(
          url: "https://specs.apollo.dev/federation/v2.9"
          import: ["@authenticated", "@requiresScopes", "@policy", "@cost", "@listSize"]
        )
      type Query {
        a: Int @authenticated
        b: Int @requiresScopes(scopes: [["read:data"]])
        c: [Int] @policy(policies: [["role:ADMIN"]]) @listSize(assumedSize: 3)
        d: Int @cost(weight: 5)
      }
    `;
    expect(
      Object.keys(
        apiSchemaOf(supergraphOf({ users: guarded }))
          .getQueryType()
          ?.getFields() ?? {},
      ),
    ).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('Composition rule 4: conflicts of names', () => {
  it('the same type name with another kind', () => {
    expect(
      errorsOf({
        users: fed2('type Query { users: Tag }\ntype Tag { name: String }'),
        posts: fed2('type Query { posts: Tag }\n"A label"\nenum Tag { NEW }'),
      }),
    ).toEqual([
      expect.stringMatching(
        /^posts\.graphql:4:6: TYPE_KIND_MISMATCH: Type "Tag" .*\n {2}also users\.graphql:3:6$/,
      ),
    ]);
  });

  it('the same field with another type', () => {
    expect(
      errorsOf({
        users: fed2('type Query { version: String @shareable }'),
        posts: fed2('type Query { version: Int @shareable }'),
      }),
    ).toEqual([
      expect.stringMatching(
        /^posts\.graphql:2:14: FIELD_TYPE_MISMATCH: .*"Query\.version".*\n {2}also users\.graphql:2:14$/,
      ),
    ]);
  });

  it('the same root field in two Federation 1 subgraphs composes, and is reported', () => {
    expect(
      hintsOf({
        users: 'type Query {\n  version: String\n}',
        posts: 'extend type Query {\n  version: String\n}',
      }),
    ).toEqual([
      expect.stringMatching(
        /^posts\.graphql:2:3: SHARED_ROOT_FIELD: Query\.version is defined by "posts" and "users".*\n {2}also users\.graphql:2:3$/,
      ),
    ]);
  });

  const withEnum = (root: string, values: string) =>
    fed2(`type Query { ${root} }\nenum Status { ${values} }`);

  it('differing enum values of an enum that goes both ways', () => {
    expect(
      errorsOf({
        users: withEnum('users(status: Status): Status', 'ON OFF'),
        posts: withEnum('posts(status: Status): Status', 'ON OFF IDLE'),
      }),
    ).toEqual([
      expect.stringMatching(
        /^posts\.graphql:3:6: ENUM_VALUE_MISMATCH: .*value "IDLE".*\n {2}also users\.graphql:3:6\n {2}also posts\.graphql:2:20/,
      ),
    ]);
  });

  it('differing enum values of an enum that is only answered are merged, and reported', () => {
    expect(
      hintsOf({
        users: withEnum('users: Status', 'ON OFF'),
        posts: withEnum('posts: Status', 'ON OFF IDLE'),
      }),
    ).toEqual([
      expect.stringMatching(
        /^posts\.graphql:3:6: INCONSISTENT_ENUM_VALUE_FOR_OUTPUT_ENUM: Value "IDLE".*\n {2}also users\.graphql:3:6$/,
      ),
    ]);
  });

  it('definitions that one subgraph makes twice', () => {
    expect(
      errorsOf({
        users:
          'type Query { a: E a: Int }\nenum E { A B A }\ntype Query { b: Int }\nextend type Query { b: Int }',
      }),
    ).toEqual([
      'users.graphql:1:6: INVALID_GRAPHQL: [users] Query is defined 2 times.\n  also users.graphql:3:6',
      'users.graphql:1:14: INVALID_GRAPHQL: [users] Query.a is defined 2 times.\n  also users.graphql:1:19',
      'users.graphql:2:10: INVALID_GRAPHQL: [users] E.A is defined 2 times.\n  also users.graphql:2:14',
      'users.graphql:3:14: INVALID_GRAPHQL: [users] Query.b is defined 2 times.\n  also users.graphql:4:21',
    ]);
  });
});

describe('Schemas that are wrong by themselves', () => {
  it('are reported together, at line and column', () => {
    expect(
      errorsOf({
        users: 'type Query {',
        posts: 'type Query { a: Int }\ntype Query { b: Int }',
        ok: 'type A { b: C }',
      }),
    ).toEqual([
      'users.graphql:1:13: INVALID_GRAPHQL: [users] Syntax Error: Expected Name, found <EOF>.',
      'posts.graphql:1:6: INVALID_GRAPHQL: [posts] Query is defined 2 times.\n  also posts.graphql:2:6',
    ]);
  });

  it.each([
    [
      'an unknown type',
      'type Query { a: Nothing }',
      /^users\.graphql:2:17: INVALID_GRAPHQL: \[users\] Unknown type/,
    ],
    ['an unknown directive', 'type Query { a: Int @no }', /^users\.graphql:2:21: .*Unknown directive "@no"/],
    [
      'a directive at a place that is not its own',
      'type Query {\n  a: Int @key(fields: "id")\n}',
      /^users\.graphql:3:10: INVALID_GRAPHQL: .*"@key" may not be used on FIELD_DEFINITION/,
    ],
    [
      'a key that names no field',
      'type Query { a: A }\ntype A @key(fields: "uuid") { id: ID! }',
      /^users\.graphql:3:8: KEY_INVALID_FIELDS: /,
    ],
    ['nothing to ask for', 'type A { id: ID! }', /^NO_QUERIES: /],
  ])('%s', (_title, sdl, expected) => {
    expect(errorsOf({ users: fed2(sdl) })).toEqual([expect.stringMatching(expected)]);
  });
});

describe('The output', () => {
  it('is the same in whatever order the subgraphs come', () => {
    const users = fed2(gql`
      type Query {
        me: User
      }
      "From users"
      type User @key(fields: "id") {
        id: ID!
        name: String
      }
    `);
    const posts = fed2(gql`
      "From posts"
      type User @key(fields: "id") {
        id: ID!
        posts: [String]
      }
    `);
    expect(supergraphOf({ users, posts })).toBe(supergraphOf({ posts, users }));
  });

  it('ends with one line feed', () => {
    expect(
      supergraphOf({
        users: gql`
          type Query {
            a: Int
          }
        `,
      }),
    ).toMatch(/[^\n]\n$/);
  });
});

describe('Where schemas come from', () => {
  let folder: string;
  let server: FastifyInstance;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'compose-supergraph-'));
    server = Fastify();
  });

  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  async function composeFile(text: string) {
    await writeFile(join(folder, 'supergraph.yaml'), text);
    return composeSupergraph(await readSupergraphConfig(join(folder, 'supergraph.yaml')));
  }

  it('a file and a running subgraph, asked with the headers that are configured', async () => {
    server.post('/graphql', (request) => {
      const b = gql`
        type Query {
          b: Int
        }
      `;
      const c = gql`
        type Query {
          c: Int
        }
      `;
      return { data: { _service: { sdl: print(request.headers['x-token'] === 'abc' ? b : c) } } };
    });
    const url = await server.listen({ port: 0 });
    await writeFile(
      join(folder, 'a.graphql'),
      print(gql`
        type Query {
          a: Int
        }
      `),
    );
    const composition = await composeFile(`
subgraphs:
  a: { routing_url: http://a/graphql, schema: { file: a.graphql } }
  b: { schema: { subgraph_url: ${url}/graphql, introspection_headers: { x-token: abc } } }
`);
    if (composition.kind === 'failed') throw new Error(composition.errors.map(formatDiagnostic).join('\n'));
    expect(Object.keys(apiSchemaOf(composition.supergraphSdl).getQueryType()?.getFields() ?? {})).toEqual([
      'a',
      'b',
    ]);
    expect(composition.supergraphSdl).toContain(`B @join__graph(name: "b", url: "${url}/graphql")`);
  });

  it('one that is missing, one that rejects and one that does not respond in time are reported together', async () => {
    server.post('/rejects', (_request, reply) => reply.status(401).send({ errors: [{ message: 'No.' }] }));
    server.post('/nonsense', () => ({ data: null }));
    server.post('/hangs', () => new Promise(() => {}));
    server.post('/large', () => Buffer.alloc(16 * 1024 * 1024 + 1, ' '));
    await writeFile(join(folder, 'large.graphql'), '');
    await truncate(join(folder, 'large.graphql'), 16 * 1024 * 1024 + 1);
    const url = await server.listen({ port: 0, host: '127.0.0.1' });
    const address = (name: string, path: string): SubgraphConfig => ({
      name,
      routingUrl: url,
      schema: { kind: 'address', url: `${url}${path}`, headers: {} },
    });
    const missing = { kind: 'file', path: 'a.graphql', file: join(folder, 'a.graphql') } as const;
    const absent = { name: 'a', routingUrl: url, schema: missing };
    const subgraphs = [
      absent,
      address('b', '/rejects'),
      address('c', '/nonsense'),
      address('e', '/large'),
      {
        name: 'f',
        routingUrl: url,
        schema: { kind: 'file', path: 'large.graphql', file: join(folder, 'large.graphql') } as const,
      },
    ];
    const errorsOf = async (of: readonly SubgraphConfig[], timeoutMs: number): Promise<unknown> => {
      const composition = await composeSupergraph({ file: 'supergraph.yaml', subgraphs: of }, { timeoutMs });
      return composition.kind === 'failed' && composition.errors.map(formatDiagnostic);
    };
    const ofMissing = 'a.graphql: SCHEMA_NOT_READABLE: There is no file or directory for a.graphql.';
    expect(await errorsOf([absent, address('d', '/hangs')], 200)).toEqual([
      ofMissing,
      `${url}/hangs: SCHEMA_NOT_READABLE: The subgraph did not return its schema: The operation was aborted due to timeout.`,
    ]);
    expect(await errorsOf(subgraphs, 100_000)).toEqual([
      ofMissing,
      `${url}/rejects: SCHEMA_NOT_READABLE: The subgraph did not return its schema: No.`,
      `${url}/nonsense: SCHEMA_NOT_READABLE: The subgraph did not return its schema: its response (status 200) holds no _service.sdl.`,
      `${url}/large: SCHEMA_NOT_READABLE: The subgraph did not return its schema: it has more than 16777216 bytes.`,
      'large.graphql: SCHEMA_NOT_READABLE: The file could not be read (it has more than 16777216 bytes).',
    ]);
  });

  it('a pinned federation_version that is not the one here is reported', async () => {
    const composition = await composeFile(`
federation_version: =2.1.0
subgraphs:
  a: { routing_url: http://a/graphql, schema: { sdl: "type Query { a: Int }" } }
`);
    expect(composition.kind === 'composed' && composition.hints.map(({ code }) => code)).toEqual([
      'OTHER_FEDERATION_VERSION',
    ]);
  });

  it('is composed by the version that it says', () => {
    const { version } = createRequire(import.meta.url)('@apollo/composition/package.json') as {
      version: string;
    };
    expect(federationVersion).toBe(version);
  });
});
