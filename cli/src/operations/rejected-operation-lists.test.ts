import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OperationsFolder } from '../../testing/operations-folder.ts';

const KIND = 'query Kind { greeting }';
const NAMES = 'query Names { names }';
/** A supergraph, whatever it serves. */
const GRAPH = fileURLToPath(new URL('../../../graph/supergraph.graphql', import.meta.url));

let work: OperationsFolder;

beforeEach(() => {
  work = new OperationsFolder();
});
afterEach(() => work.remove());

describe('A list of operations', () => {
  const BAD: readonly (readonly [
    what: string,
    args: () => readonly string[],
    status: number,
    message: RegExp,
  ])[] = [
    [
      'no JSON',
      () => ['import', '--from', work.file('a.json', '{')],
      1,
      /^INVALID_LIST: \S+a\.json is no JSON: /,
    ],
    [
      'another format',
      () => ['import', '--from', work.file('a.json', [1])],
      1,
      /^INVALID_LIST: \S+ is neither a manifest of Apollo nor a map /,
    ],
    [
      'no operation',
      () => ['import', '--from', work.file('a.json', {})],
      1,
      /^INVALID_LIST: \S+ holds no operation\.\n$/,
    ],
    [
      'a text that is none',
      () => ['import', '--from', work.relay({ a: KIND, b: '{' })],
      1,
      /^INVALID_LIST: \S+queries\.json:3: Syntax Error/,
    ],
    [
      'a fragment alone',
      () => ['import', '--from', work.relay({ a: 'fragment F on Query { greeting }' })],
      1,
      /^INVALID_LIST: \S+:2: The text of a has no operation\.\n$/,
    ],
    [
      'types in a folder',
      () => {
        work.file(
          'src/a.graphql',
          `\n${print(gql`
            type Query {
              a: Int
            }
          `)}`,
        );
        return ['import', '--from', join(work.path, 'src')];
      },
      1,
      /^INVALID_LIST: \S+a\.graphql:2: This is neither an operation nor a fragment\.\n$/,
    ],
    [
      'two fragments of one name',
      () => {
        work.file('src/a.graphql', 'fragment F on Query { greeting }');
        work.file('src/b.graphql', 'fragment F on Query { names }');
        return ['import', '--from', join(work.path, 'src')];
      },
      1,
      /^DUPLICATE_ID: \S+b\.graphql:1: There are two different fragments called F\.\n$/,
    ],
    [
      'two texts of one id',
      () => {
        const both = [
          { id: 'a', body: KIND },
          { id: 'a', body: NAMES },
        ];
        return [
          'import',
          '--from',
          work.file('a.json', { format: 'apollo-persisted-query-manifest', version: 1, operations: both }),
        ];
      },
      1,
      /^DUPLICATE_ID: \S+: Two different texts have the id a\.\n$/,
    ],
    [
      'no such list',
      () => ['retire', '--client', 'web', '--lists', work.path],
      1,
      /^UNKNOWN_LIST: No list of web is published in /,
    ],
    [
      'a damaged list',
      () => {
        work.file('lists/web.operations.json', '{"format":');
        return ['list', '--lists', work.lists];
      },
      1,
      /^INVALID_LISTS: \S+web\.operations\.json is damaged, or no list of this version of Trellis\.\n$/,
    ],
    [
      'a name that no client sends',
      () => ['retire', '--client', 'a@b', '--lists', work.path],
      64,
      /^INVALID_OPTION: A client and its version are /,
    ],
    [
      'a time that is none',
      () => ['retire', '--client', 'a', '--lists', work.path, '--on', 'soon'],
      64,
      /^INVALID_OPTION: --on takes a day /,
    ],
    [
      'a day that no month has',
      () => ['retire', '--client', 'a', '--lists', work.path, '--on', '2026-02-30'],
      64,
      /^INVALID_OPTION: --on takes a day .*, not "2026-02-30"\.\n$/,
    ],
    [
      'a time in such a day',
      () => ['list', '--from', work.path, '--since', '2026-02-30T08:00:00Z'],
      64,
      /^INVALID_OPTION: --since takes a day /,
    ],
    [
      'days ago for what is to come',
      () => ['retire', '--client', 'a', '--lists', work.path, '--on', '30d'],
      64,
      /^INVALID_OPTION: --on takes a day \(2026-11-23\) or a time \(\S+\), not "30d"\.\n$/,
    ],
    [
      'more operations than are read, whatever they are',
      () => [
        'import',
        '--from',
        work.relay(Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`id ${index}`, '{']))),
      ],
      1,
      /^INVALID_LIST: \S+ holds more than 10000 operations\.\n$/,
    ],
    [
      'a graph that is none',
      () => [
        'check',
        '--from',
        work.relay({ kind: KIND }),
        '--against',
        work.file(
          'g.graphql',
          print(gql`
            type Query {
              a: Int
            }
          `),
        ),
      ],
      1,
      /^INVALID_GRAPH: \S+g\.graphql is not a supergraph: /,
    ],
    [
      'a text that is no graph',
      () => ['check', '--from', work.relay({ kind: KIND }), '--against', work.file('g.graphql', 'hello {')],
      1,
      /^INVALID_GRAPH: \S+g\.graphql is not a supergraph: /,
    ],
    [
      'limits that are none',
      () => [
        'check',
        '--from',
        work.relay({ kind: KIND }),
        '--against',
        GRAPH,
        '--limits',
        work.file('gateway.yaml', 'limits: { maxDepth: many }'),
      ],
      1,
      /gateway\.yaml/,
    ],
    [
      'a list of another client, in a folder that has one file for both',
      () => {
        const list = { list: 1, client: 'IOS', published: '2026-11-23T08:00:00.000Z' };
        const manifest = { format: 'apollo-persisted-query-manifest', version: 1, operations: [] };
        work.file('lists/ios.operations.json', { ...manifest, trellis: list });
        return ['retire', '--client', 'ios', '--lists', work.lists];
      },
      1,
      /^INVALID_LISTS: \S+ios\.operations\.json is the list of IOS: /,
    ],
    [
      'nothing to check',
      () => ['check', '--against', 'a.graphql'],
      64,
      /^INVALID_OPTION: Say what is checked: /,
    ],
    [
      'a file that is missing',
      () => ['import', '--from', join(work.path, 'none')],
      1,
      /^There is no file or directory for /,
    ],
    [
      'a graph that is missing',
      () => ['check', '--from', work.relay({ kind: KIND }), '--against', join(work.path, 'none.graphql')],
      1,
      /^There is no file or directory for /,
    ],
  ];

  it.each(BAD)('%s: one sentence', async (_what, args, status, message) => {
    expect(await work.operations(...args())).toBe(status);
    expect(work.errors).toMatch(message);
    expect(work.errors.trim().split('\n').length).toBeLessThan(3);
  });
});
