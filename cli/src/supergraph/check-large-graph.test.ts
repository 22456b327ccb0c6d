import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { trellis } from '../../testing/run-command.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'check-large-graph-'));
});
afterEach(() => rm(folder, { recursive: true }));

const LINK = print(gql`
  extend schema
    @link(
      url: "https://specs.apollo.dev/federation/v2.9"
      import: ["@key", "@shareable", "@override", "@tag"]
    )
`);

const path = (name: string): string => join(folder, name);

/** Behind the schema, so that places stay where they are. */
const MUCH = `\n# ${'x'.repeat(210_000)}\n`;

interface Change {
  readonly before: string;
  readonly after: string;
  readonly contracts?: string;
  readonly composers?: string;
}

/** What a check of the change of one subgraph prints, and how it ends. */
async function check({ before, after, contracts = '', composers = 'both' }: Change, padding: string) {
  const config = path('supergraph.yaml');
  const items = print(gql`
    type Query {
      other: Item @shareable
    }
    type Item {
      id: ID! @shareable
      name: String @shareable @tag(name: "public")
    }
  `);
  await Promise.all([
    writeFile(path('shop.graphql'), LINK + before + padding),
    writeFile(path('next.graphql'), LINK + after + padding),
    writeFile(path('items.graphql'), LINK + items),
    writeFile(
      config,
      'subgraphs:\n' +
        '  shop: { routing_url: http://shop/, schema: { file: shop.graphql } }\n' +
        `  items: { routing_url: http://items/, schema: { file: items.graphql } }\n${contracts}`,
    ),
  ]);
  const graphs = [
    '--config',
    config,
    '--against',
    config,
    '--subgraph',
    'shop',
    '--schema',
    path('next.graphql'),
  ];
  const { status, out, error } = await trellis(
    'check',
    ...graphs,
    '--composers',
    composers,
    '--format',
    'json',
  );
  return { status, error, report: JSON.parse(out) as { diagnostics: readonly { readonly code: string }[] } };
}

const before = print(gql`
  type Query {
    shop: Int
  }
`);
const unreachable = print(gql`
  type Query {
    shop: Int
    item: Item
  }
  type Item @key(fields: "id", resolvable: false) {
    id: ID! @shareable
  }
`);
const cases: readonly (readonly [
  string,
  Change,
  { readonly status: number; readonly codes: readonly string[] },
])[] = [
  [
    'a change that breaks',
    {
      before: print(gql`
        type Query {
          shop: Int
          gone: Int
        }
      `),
      after: before,
    },
    { status: 1, codes: [] },
  ],
  [
    'a change that breaks nothing',
    {
      before,
      after: print(gql`
        type Query {
          shop: Int
          new: Int
        }
      `),
    },
    { status: 0, codes: [] },
  ],
  [
    'what does not fit together',
    {
      before,
      after: print(gql`
        type Query {
          shop: Int
          other: Int
        }
      `),
    },
    { status: 1, codes: ['FIELD_TYPE_MISMATCH'] },
  ],
  ['a query without a plan', { before, after: unreachable }, { status: 1, codes: ['SATISFIABILITY_ERROR'] }],
  [
    'a query without a plan, and a contract that leaves nothing',
    { before, after: unreachable, contracts: 'contracts:\n  mobile: { include: [gone] }\n' },
    { status: 1, codes: ['SATISFIABILITY_ERROR'] },
  ],
  [
    'a difference of two composers that have to agree',
    {
      before,
      after: print(gql`
        type Query {
          shop: Int
          other: Item @shareable
        }
        type Item {
          id: ID! @shareable
          name: String @shareable @override(from: "gone")
        }
      `),
      composers: 'strict',
    },
    { status: 1, codes: ['COMPOSERS_DIFFER'] },
  ],
];

it.each(cases)(
  'A check of a large graph says what one of a small graph says, of %s',
  async (_what, change, found) => {
    const small = await check(change, '\n');
    expect(small).toMatchObject({ status: found.status });
    expect(small.report.diagnostics.map(({ code }) => code)).toEqual(
      expect.arrayContaining([...found.codes]),
    );
    expect(await check(change, MUCH)).toEqual(small);
  },
);
