import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runSupergraphCommand } from './supergraph-command.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'supergraph-command-'));
  await writeFile(
    join(folder, 'supergraph.yaml'),
    'subgraphs:\n  users: { routing_url: "http://users/graphql", schema: { file: users.graphql } }\n',
  );
});

afterEach(() => rm(folder, { recursive: true }));

async function run(...args: readonly string[]) {
  let out = '';
  let error = '';
  const status = await runSupergraphCommand(args, {
    out: (text) => (out += text),
    error: (text) => (error += text),
  });
  return { status, out: out.replaceAll(folder, '.'), error: error.replaceAll(folder, '.') };
}

const config = () => join(folder, 'supergraph.yaml');
const output = () => join(folder, 'supergraph.graphql');

async function writeUsers(sdl: string): Promise<void> {
  await writeFile(join(folder, 'users.graphql'), sdl);
}

describe('supergraph compose', () => {
  it('writes the supergraph, and leaves nothing else behind', async () => {
    await writeUsers(
      print(gql`
        type Query {
          me: String
        }
      `),
    );
    expect(await run('compose', '--config', config(), '--output', output())).toEqual({
      status: 0,
      out: '',
      error: '',
    });
    expect(await readFile(output(), 'utf8')).toContain('USERS @join__graph(name: "users"');
    expect((await readdir(folder)).toSorted()).toEqual([
      'supergraph.graphql',
      'supergraph.yaml',
      'users.graphql',
    ]);
  });

  it('prints it when there is no --output', async () => {
    await writeUsers(
      print(gql`
        type Query {
          me: String
        }
      `),
    );
    const { status, out } = await run('compose', '--config', config());
    expect({ status, begins: out.slice(0, 6) }).toEqual({ status: 0, begins: 'schema' });
  });

  it('prints every error with file and line, ends with 1, and leaves the old file', async () => {
    await writeFile(output(), 'before');
    await writeUsers(
      print(gql`
        type Query {
          me: Missing
        }
      `),
    );
    expect(await run('compose', '--config', config(), '--output', output())).toEqual({
      status: 1,
      out: '',
      error:
        'error: users.graphql:2:7: INVALID_GRAPHQL: [users] Unknown type Missing\n' +
        '  2 |   me: Missing\n    |       ^\n' +
        'Documentation: docs/command-line-errors.md#INVALID_GRAPHQL\n',
    });
    expect(await readFile(output(), 'utf8')).toBe('before');
  });

  it('prints hints on the standard error and ends with 0', async () => {
    await writeFile(
      join(folder, 'supergraph.yaml'),
      'subgraphs:\n  a: { routing_url: "http://a", schema: { sdl: "type Query { x: Int }" } }\n  b: { routing_url: "http://b", schema: { sdl: "type Query { x: Int }" } }\n',
    );
    const { status, error } = await run('compose', '--config', config(), '--output', output());
    expect(status).toBe(0);
    expect(error).toMatch(/^hint: the sdl of a:1:14: SHARED_ROOT_FIELD: /);
  });

  it('ends with 1 when the output cannot be written', async () => {
    await writeUsers(
      print(gql`
        type Query {
          me: String
        }
      `),
    );
    const { status, error } = await run('compose', '--config', config(), '--output', join(folder, 'no', 'x'));
    expect({ status, error }).toMatchObject({
      status: 1,
      error: expect.stringMatching(/^There is no file or directory for \.\/no\/x/) as string,
    });
  });
});

const OPEN = 'open to anonymous callers: Query.me, Query.users\n';

describe('supergraph check', () => {
  beforeEach(async () => {
    await writeUsers(
      print(gql`
        type Query {
          me: User
          users: [User]
        }
        type User {
          id: ID!
          name: String
          role: Role
        }
        enum Role {
          A
        }
      `),
    );
    await run('compose', '--config', config(), '--output', output());
  });

  const check = () => run('check', '--config', config(), '--against', output());

  it('ends with 0 when nothing changed', async () => {
    expect(await check()).toEqual({ status: 0, out: `0 breaking, 0 dangerous\n${OPEN}`, error: '' });
  });

  it('B5: leaves out root fields that are guarded by themselves, their type or what they return', async () => {
    const guarded = gql`
      extend schema
        @link(
          url: "https://specs.apollo.dev/federation/v2.9"
          import: [{ name: "@authenticated", as: "@login" }, "@requiresScopes", "@policy", "@inaccessible"]
        )
      type Query {
        me: Me
        open: Int
        scoped: Int @requiresScopes(scopes: [["a"]])
        hidden: Int @inaccessible
      }
      type Me @login {
        id: ID!
      }
      type Mutation @policy(policies: [["p"]]) {
        change: Int
      }
      type Subscription {
        login: Int @login
        free: Int
      }
    `;
    await writeUsers(print(guarded));
    expect((await check()).out).toMatch(/\nopen to anonymous callers: Query.open, Subscription.free\n$/);
  });

  it('lists breaking changes by coordinate and ends with 1', async () => {
    await writeUsers(
      print(gql`
        type Query {
          me: User
        }
        type User {
          id: ID!
          role: Role
        }
        enum Role {
          A
        }
      `),
    );
    expect(await check()).toEqual({
      status: 1,
      out: [
        'breaking: Query.users: FIELD_REMOVED: Query.users was removed.',
        'breaking: User.name: FIELD_REMOVED: User.name was removed.',
        'dangerous: users: PUBLISH_FIRST: Plans before fail at users after: Cannot query field "users" on type "Query"; Cannot query field "name" on type "User".',
        'order: 1 publish · 2 deploy users (proved with 0 recorded operations and 3 probes, against schemas extracted from the supergraph before)',
        '2 breaking, 1 dangerous',
        'open to anonymous callers: Query.me\n',
      ].join('\n'),
      error: 'Documentation: docs/changes.md#FIELD_REMOVED\n',
    });
  });

  it('lists dangerous changes and ends with 0', async () => {
    await writeUsers(
      print(gql`
        type Query {
          me: User
          users: [User]
        }
        type User {
          id: ID!
          name: String
          role: Role
        }
        enum Role {
          A
          B
        }
      `),
    );
    expect(await check()).toEqual({
      status: 0,
      out: `dangerous: Role.B: VALUE_ADDED_TO_ENUM: Role.B was added.\ndangerous: users: PUBLISH_FIRST: Plans before fail at users after: User.role may return Role.B.\norder: 1 publish · 2 deploy users (proved with 0 recorded operations and 2 probes, against schemas extracted from the supergraph before)\n0 breaking, 2 dangerous\n${OPEN}`,
      error: '',
    });
  });

  it('ends with 1 when it does not compose', async () => {
    await writeUsers(
      print(gql`
        type User {
          id: ID!
        }
      `),
    );
    expect(await check()).toMatchObject({
      status: 1,
      out: '',
      error: expect.stringContaining('NO_QUERIES') as string,
    });
  });

  it('ends with 1 when the file before is no supergraph, or does not exist', async () => {
    await writeFile(
      output(),
      print(gql`
        type Query {
          me: String
        }
      `),
    );
    expect(await check()).toMatchObject({
      status: 1,
      error: expect.stringContaining('./supergraph.graphql is not a supergraph: ') as string,
    });
    await rm(output());
    expect(await check()).toMatchObject({
      status: 1,
      error: 'There is no file or directory for ./supergraph.graphql.\n',
    });
  });
});

describe('A command line that is wrong ends with 64 and the usage', () => {
  it.each([
    ['Say compose, check, lint or explain.', []],
    ['There is no command "publish".', ['publish']],
    ['"extra" is one argument too many.', ['compose', 'extra']],
    ['compose takes no --against.', ['compose', '--against', 'x']],
    ['check takes no --release.', ['check', '--release', 'x', '--against', 'x']],
    ['--format is one of text, json', ['compose', '--format', 'pdf']],
    ['--subgraph NAME needs --schema FILE.', ['compose', '--subgraph', 'x']],
    ['--schema and --routing-url go with --subgraph NAME.', ['compose', '--schema', 'x']],
    ['check needs --against FILE, or --graph NAME@ENVIRONMENT.', ['check']],
    ['Say either --against or --graph.', ['check', '--against', 'x', '--graph', 'a@b']],
    ['--registry and --trust go with --graph NAME@ENVIRONMENT.', ['compose', '--registry', 'x']],
    ['compose takes no --supergraph.', ['compose', '--supergraph', 'x']],
    ['There is no option "--nonsense".', ['compose', '--nonsense', 'x']],
  ])('%s', async (problem, args) => {
    const { status, out, error } = await run(...args);
    expect({ status, out }).toEqual({ status: 64, out: '' });
    expect(error).toContain(problem);
    expect(error).toContain('Usage:');
  });

  it('--help is none of these', async () => {
    expect(await run('--help')).toMatchObject({
      status: 0,
      out: expect.stringContaining('Exit status') as string,
    });
  });
});

const MISMATCH =
  'Type of field "Query.me" is incompatible across subgraphs: it has type "Int" in subgraph "posts" but type "String" in subgraph "users"';

describe('The report of subgraphs that do not compose', () => {
  beforeEach(async () => {
    await writeUsers(
      print(gql`
        type Query {
          me: String
        }
      `),
    );
    await writeFile(
      join(folder, 'posts.graphql'),
      print(gql`
        type Query {
          me: Int
        }
      `),
    );
    await writeFile(
      config(),
      ['users', 'posts'].reduce(
        (text, name) =>
          `${text}  ${name}: { routing_url: "http://${name}", schema: { file: ${name}.graphql } }\n`,
        'subgraphs:\n',
      ),
    );
  });

  it.each([
    ['github', `::error file=posts.graphql,line=2,col=3,title=FIELD_TYPE_MISMATCH::${MISMATCH}\n`],
    [
      'junit',
      '<testcase classname="FIELD_TYPE_MISMATCH" name="posts.graphql:2:3">' +
        `<failure message="posts.graphql:2:3: ${MISMATCH.replaceAll('"', '&quot;')}"/></testcase>`,
    ],
    ['markdown', `| posts.graphql:2:3 | FIELD\\_TYPE\\_MISMATCH | ${MISMATCH} |\n`],
  ])('is written as %s, on the standard error', async (format, expected) => {
    const { status, out, error } = await run('compose', '--config', config(), '--format', format);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(error).toContain(expected);
  });

  const places = [
    ['posts.graphql', 2, 3],
    ['users.graphql', 2, 3],
  ].map(([source, line, column]) => ({ source, line, column }));

  it('is written as json, on the standard output where the supergraph has a file', async () => {
    const args = ['compose', '--config', config(), '--format', 'json'];
    const bare = await run(...args);
    const { status, out, error } = await run(...args, '--output', output());
    expect({ status, error, bare }).toEqual({
      status: 1,
      error: '',
      bare: { status: 1, out: '', error: out },
    });
    expect(JSON.parse(out)).toMatchObject({
      command: 'compose',
      outcome: 'failed',
      diagnostics: [{ severity: 'error', code: 'FIELD_TYPE_MISMATCH', message: MISMATCH, locations: places }],
    });
  });

  it('is written as sarif, with each place', async () => {
    const { status, out, error } = await run('compose', '--config', config(), '--format', 'sarif');
    expect({ status, out }).toEqual({ status: 1, out: '' });
    const locations = places.map(({ source, line, column }) => ({
      physicalLocation: {
        artifactLocation: { uri: source },
        region: { startLine: line, startColumn: column },
      },
    }));
    expect(JSON.parse(error)).toMatchObject({
      version: '2.1.0',
      runs: [
        {
          results: [
            { ruleId: 'FIELD_TYPE_MISMATCH', level: 'error', message: { text: MISMATCH }, locations },
          ],
        },
      ],
    });
  });
});

describe('A configuration that is invalid', () => {
  it('is printed with its lines and ends with 1', async () => {
    await writeFile(join(folder, 'supergraph.yaml'), 'subgraphs:\n  users: {}\n');
    expect(await run('compose', '--config', config())).toEqual({
      status: 1,
      out: '',
      error:
        './supergraph.yaml:2:3: INVALID_CONFIG: subgraphs.users.schema is required\n' +
        '  2 |   users: {}\n    |   ^\n' +
        'Documentation: docs/command-line-errors.md#INVALID_CONFIG\n',
    });
    expect((await run('compose', '--config', config(), '--format', 'github')).error).toBe(
      '::error file=./supergraph.yaml,line=2,col=3,title=INVALID_CONFIG::subgraphs.users.schema is required\n',
    );
  });
});
