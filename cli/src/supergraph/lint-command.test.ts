import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkSchema, type UnlinkedSchema } from '../../testing/federation-link.ts';
import { runSupergraphCommand } from './supergraph-command.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lint-'));
});

afterAll(() => rm(folder, { recursive: true }));

const LINK = print(gql`
  extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@authenticated", "@listSize"])
`);

async function lint(schemas: Readonly<Record<string, UnlinkedSchema>>, ...args: readonly string[]) {
  const subgraphs = Object.entries(schemas).map(([name, typeDefs]) => [
    name,
    { routing_url: `http://${name}.example`, schema: { sdl: linkSchema(typeDefs, LINK) } },
  ]);
  const config = join(folder, 'supergraph.yaml');
  await writeFile(config, JSON.stringify({ subgraphs: Object.fromEntries(subgraphs) as object }));
  let out = '';
  const status = await runSupergraphCommand(['lint', '--config', config, ...args], {
    out: (text) => (out += text),
    error: (text) => (out += text),
  });
  const found = [...out.matchAll(/^warning: .+?:\d+: ([A-Z_]+): (.*)$/gm)].map(
    ([, code, message]) => `${code ?? ''}: ${message ?? ''}`,
  );
  return { status, found, out };
}

describe('lint', () => {
  it('warns of root fields that are open where others are protected', async () => {
    const { status, found } = await lint({
      a: gql`
        type Query {
          open: Int
          closed: Int @authenticated
        }
      `,
    });
    expect({ status, found }).toEqual({
      status: 0,
      found: [
        'UNPROTECTED_ROOT_FIELD: Query.open is open to callers without a token. Protect it by @authenticated or @requiresScopes, or approve it.',
      ],
    });
    expect(
      (
        await lint({
          a: gql`
            type Query {
              open: Int
            }
          `,
        })
      ).found,
    ).toEqual([]);
  });

  it('warns of entities that no subgraph finds', async () => {
    const stub = (name: string): string =>
      `type Query { ${name}: User } type User @key(fields: "id", resolvable: false) { id: ID! }`;
    expect(
      (
        await lint({
          a: stub('a'),
          b: stub('b'),
        })
      ).found,
    ).toEqual([
      'UNRESOLVED_KEY: User has keys in a and b, and none of them is resolvable. Let the subgraph that owns it resolve its key.',
    ]);
  });

  it('warns of lists of objects that nothing bounds', async () => {
    const { found } = await lint({
      a: gql`
        type Query {
          all: [T]
          first(first: Int): [T]
          sized: [T] @listSize(assumedSize: 5)
          byIds(ids: [ID!]): [T]
          names: [String]
          page: TConnection
        }
        type T {
          id: ID
        }
        type TConnection {
          nodes: [T]
        }
      `,
    });
    expect(found).toEqual([
      'UNBOUNDED_LIST: Nothing bounds the list Query.all. Add an argument such as first, or a @listSize.',
    ]);
  });

  it('writes the other forms, and fails where nothing composes', async () => {
    const { out } = await lint(
      {
        a: gql`
          type Query {
            all: [T]
          }
          type T {
            id: ID
          }
        `,
      },
      '--format',
      'sarif',
    );
    expect(JSON.parse(out)).toMatchObject({
      runs: [{ results: [{ ruleId: 'UNBOUNDED_LIST', level: 'warning' }] }],
    });
    expect(
      (
        await lint({
          a: gql`
            type Query {
              all: Missing
            }
          `,
        })
      ).status,
    ).toBe(1);
  });
});
