import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOperations } from '@trellis/composition';
import {
  startSubgraph,
  startTestGateway,
  type SubgraphServer,
  type TestGateway,
} from '@trellis/gateway/testing';
import { parse } from 'graphql';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { runTrellis } from '../trellis.ts';
import { operationsProblems } from '../recorded/operations-problem.ts';

const KIND = 'query Kind { greeting }';
const NAMES = 'query Names { names }';

let subgraph: SubgraphServer;
let gateway: TestGateway;
let folder: string;
let lists: string;
let [output, errors] = ['', ''];

beforeAll(async () => {
  subgraph = await startSubgraph({
    name: 'greetings',
    typeDefs: parse('type Query { greeting: String names(first: Int): [String] }'),
    resolvers: { Query: { greeting: () => 'hello', names: () => [] } },
  });
  gateway = await startTestGateway({ subgraphs: [subgraph], settings: '{}' });
});
afterAll(async () => {
  await gateway.close();
  await subgraph.close();
});
beforeEach(() => {
  [output, errors] = ['', ''];
  folder = mkdtempSync(join(tmpdir(), 'trellis-lists-'));
  lists = join(folder, 'lists');
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => ((output += String(text)), true));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => ((errors += String(text)), true));
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
  rmSync(folder, { recursive: true });
});

/** What a command before has said. */
function forget(): void {
  [output, errors] = ['', ''];
  process.exitCode = undefined;
}

/** The exit status of `trellis operations …`, as a shell sees it. */
async function operations(...args: readonly string[]): Promise<number> {
  forget();
  const status = await runTrellis(['operations', ...args]);
  const { exitCode } = process;
  return status === 0 ? Number(exitCode ?? 0) : status;
}

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
  return path;
}

const relay = (texts: Readonly<Record<string, string>>): string => file('queries.json', texts);

const publish = (version: string, from: string, ...more: readonly string[]): Promise<number> =>
  operations(
    'publish',
    '--client',
    'ios',
    '--client-version',
    version,
    '--lists',
    lists,
    '--from',
    from,
    ...more,
  );

/** Codes of a client's requests: of one that is listed by its id, and of a text. */
async function served(version: string): Promise<readonly unknown[]> {
  const headers = { 'graphql-client-name': 'ios', 'graphql-client-version': version };
  const both = [
    await gateway.post({ documentId: 'kind' }, headers),
    await gateway.post({ query: NAMES }, headers),
  ];
  return both.map(({ body }) => body.errors?.[0]?.extensions['code'] ?? 'served');
}

const safelist = (): Promise<void> =>
  gateway.reload({ persistedQueries: { mode: 'safelist', lists, manifests: [relay({ kind: KIND })] } });

describe('A list of operations', () => {
  it('is all that a version of a client may run, until it is retired; others go on', async () => {
    expect(await publish('1', relay({ kind: KIND }))).toBe(0);
    expect(output).toBe('1 operations of ios 1 published.\n');
    expect(await publish('2', relay({ kind: KIND, names: NAMES }))).toBe(0);
    await safelist();
    expect(await served('1')).toEqual(['served', 'PERSISTED_QUERY_REQUIRED']);
    expect(await served('2')).toEqual(['served', 'served']);

    const retire = ['retire', '--client', 'ios', '--client-version', '1', '--lists', lists];
    expect(await operations(...retire, '--on', '2999-01-01')).toBe(0);
    await safelist();
    expect(await served('1'), 'it is not yet that day').toEqual(['served', 'PERSISTED_QUERY_REQUIRED']);
    expect(await operations(...retire)).toBe(0);
    await safelist();
    expect(await served('1')).toEqual(['CLIENT_RETIRED', 'CLIENT_RETIRED']);
    expect(await served('2')).toEqual(['served', 'served']);
    expect(await served('3'), 'it has no list of its own').toEqual(['served', 'PERSISTED_QUERY_REQUIRED']);
    const today = new Date().toISOString().slice(0, 10);
    const rejected = await gateway.post(
      { documentId: 'kind' },
      { 'graphql-client-name': 'ios', 'graphql-client-version': '1' },
    );
    expect(rejected.status).toBe(400);
    expect(rejected.text).toContain(`ios 1 was retired on ${today}. Update it to a later version.`);

    await operations('list', '--lists', lists);
    expect(output).toMatch(/^CLIENT {2}VERSION {2}OPERATIONS .*\nios {5}1 {8}1 .*Z\nios {5}2 {8}2 .*Z\n$/);
    expect(await operations(...retire, '--on', 'never')).toBe(0);
    await safelist();
    expect(await served('1')).toEqual(['served', 'PERSISTED_QUERY_REQUIRED']);
  });

  it('that is retired is logged where the safelist is not enforced', async () => {
    await publish('1', relay({ kind: KIND }));
    await operations('retire', '--client', 'ios', '--client-version', '1', '--lists', lists);
    await gateway.reload({
      persistedQueries: { mode: 'safelist', enforce: false, lists, manifests: [relay({ kind: KIND })] },
    });
    expect(await served('1')).toEqual(['served', 'served']);
    const warning = { msg: 'a version of a client that was retired still sends operations', client: 'ios 1' };
    expect(gateway.logged()).toContainEqual(expect.objectContaining(warning));
  });

  it('counts as live operations in a check, unless it is retired', async () => {
    await publish('1', relay({ kind: KIND }));
    await publish('2', relay({ names: NAMES }));
    await operations('retire', '--client', 'ios', '--client-version', '1', '--lists', lists);
    expect((await readOperations([lists])).operations.map(({ id }) => id)).toEqual(['names']);
  });

  it('is published once: the same again changes nothing, others need --replace', async () => {
    expect(await publish('1', relay({ kind: KIND }))).toBe(0);
    expect(await publish('1', relay({ kind: KIND }))).toBe(0);
    expect(output).toBe('ios 1 is published already.\n');
    expect(await publish('1', relay({ kind: KIND, names: NAMES }))).toBe(1);
    expect(errors).toMatch(/^LIST_EXISTS: ios 1 is published with other operations: .+--replace\.\n$/);
    expect(await publish('1', relay({ kind: KIND, names: NAMES }), '--replace')).toBe(0);
  });

  it('of two who publish for one version at once is that of one of them, whole', async () => {
    const two = [relay({ kind: KIND }), file('other.json', { names: NAMES })];
    const { OperationLists } = await import('./operation-lists.ts');
    const { readDocuments } = await import('./read-documents.ts');
    const documents = await Promise.all(two.map(readDocuments));
    const outcomes = await Promise.allSettled(
      documents.map((one) => new OperationLists(lists).publish({ client: 'ios', version: '1' }, one, false)),
    );
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(readdirSync(lists)).toEqual(['ios@1.operations.json']);
  });

  const FORMATS: readonly (readonly [format: string, write: () => string])[] = [
    [
      "Apollo's manifest",
      () =>
        file('manifest.json', {
          format: 'apollo-persisted-query-manifest',
          version: 1,
          operations: [{ id: 'kind', name: 'Kind', type: 'query', body: KIND }],
        }),
    ],
    ["Relay's persisted queries", () => relay({ kind: KIND })],
    ["graphql-codegen's persisted documents", () => file('persisted-documents.json', { kind: KIND })],
    [
      'a folder of documents',
      () => {
        file('src/a/kind.graphql', 'query Kind { ...Fields }');
        file('src/fields.gql', 'fragment Fields on Query { greeting }');
        return join(folder, 'src');
      },
    ],
  ];

  it.each(FORMATS)('is read from %s', async (format, write) => {
    const from = write();
    expect(await operations('import', '--from', from)).toBe(0);
    const { operations: imported } = JSON.parse(output) as {
      operations: readonly { id: string; name: string; body: string }[];
    };
    expect(imported).toMatchObject([{ name: 'Kind' }]);
    if (format !== 'a folder of documents') expect(imported).toMatchObject([{ id: 'kind', body: KIND }]);
    expect(imported[0]?.body).toMatch(/greeting/);
    expect(await operations('check', '--from', from, '--against', gateway.supergraphFile)).toBe(0);
    expect(output).toBe('1 operations are served.\n');
  });

  it('is checked against a graph: every operation that it does not serve is named with file and line', async () => {
    const graph = join(folder, 'graph.graphql');
    cpSync(gateway.supergraphFile, graph);
    writeFileSync(graph, readFileSync(graph, 'utf8').replace(/names\(first: Int[^\n]*\n/, '\n'));
    const from = relay({ kind: KIND, names: NAMES });
    expect(await operations('check', '--from', from, '--against', graph)).toBe(1);
    expect(errors).toContain('OPERATION_NOT_SERVED: 1 of the operations are not served by that graph.');
    expect(errors).toContain(`${from}:3: GRAPHQL_VALIDATION_FAILED: Names: Cannot query field "names"`);
    expect(await publish('1', from, '--against', graph)).toBe(1);
    expect(await operations('list', '--lists', lists), 'nothing was published').toBe(1);
    expect(await publish('1', from)).toBe(0);
    expect(await operations('check', '--lists', lists, '--against', graph, '--json')).toBe(1);
    expect(JSON.parse(output)).toMatchObject({
      operations: 2,
      unserved: [{ code: 'GRAPHQL_VALIDATION_FAILED' }],
    });
  });

  const BAD: readonly (readonly [
    what: string,
    args: () => readonly string[],
    status: number,
    message: RegExp,
  ])[] = [
    ['no JSON', () => ['import', '--from', file('a.json', '{')], 1, /^INVALID_LIST: \S+a\.json is no JSON: /],
    [
      'another format',
      () => ['import', '--from', file('a.json', [1])],
      1,
      /^INVALID_LIST: \S+ is neither a manifest of Apollo nor a map /,
    ],
    [
      'no operation',
      () => ['import', '--from', file('a.json', {})],
      1,
      /^INVALID_LIST: \S+ holds no operation\.\n$/,
    ],
    [
      'a text that is none',
      () => ['import', '--from', relay({ a: KIND, b: '{' })],
      1,
      /^INVALID_LIST: \S+queries\.json:3: Syntax Error/,
    ],
    [
      'a fragment alone',
      () => ['import', '--from', relay({ a: 'fragment F on Query { greeting }' })],
      1,
      /^INVALID_LIST: \S+:2: The text of a has no operation\.\n$/,
    ],
    [
      'types in a folder',
      () => {
        file('src/a.graphql', '\ntype Query { a: Int }');
        return ['import', '--from', join(folder, 'src')];
      },
      1,
      /^INVALID_LIST: \S+a\.graphql:2: This is neither an operation nor a fragment\.\n$/,
    ],
    [
      'two fragments of one name',
      () => {
        file('src/a.graphql', 'fragment F on Query { greeting }');
        file('src/b.graphql', 'fragment F on Query { names }');
        return ['import', '--from', join(folder, 'src')];
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
          file('a.json', { format: 'apollo-persisted-query-manifest', version: 1, operations: both }),
        ];
      },
      1,
      /^DUPLICATE_ID: \S+: Two different texts have the id a\.\n$/,
    ],
    [
      'no such list',
      () => ['retire', '--client', 'web', '--lists', folder],
      1,
      /^UNKNOWN_LIST: No list of web is published in /,
    ],
    [
      'a damaged list',
      () => {
        file('lists/web.operations.json', '{"format":');
        return ['list', '--lists', lists];
      },
      1,
      /^INVALID_LISTS: \S+web\.operations\.json is damaged, or no list of this version of Trellis\.\n$/,
    ],
    [
      'a name that no client sends',
      () => ['retire', '--client', 'a@b', '--lists', folder],
      64,
      /^INVALID_OPTION: A client and its version are /,
    ],
    [
      'a time that is none',
      () => ['retire', '--client', 'a', '--lists', folder, '--on', 'soon'],
      64,
      /^INVALID_OPTION: --on takes a day /,
    ],
    [
      'a day that no month has',
      () => ['retire', '--client', 'a', '--lists', folder, '--on', '2026-02-30'],
      64,
      /^INVALID_OPTION: --on takes a day .*, not "2026-02-30"\.\n$/,
    ],
    [
      'a time in such a day',
      () => ['list', '--from', folder, '--since', '2026-02-30T08:00:00Z'],
      64,
      /^INVALID_OPTION: --since takes a day /,
    ],
    [
      'days ago for what is to come',
      () => ['retire', '--client', 'a', '--lists', folder, '--on', '30d'],
      64,
      /^INVALID_OPTION: --on takes a day \(2026-11-23\) or a time \(\S+\), not "30d"\.\n$/,
    ],
    [
      'more operations than are read, whatever they are',
      () => [
        'import',
        '--from',
        relay(Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`id ${index}`, '{']))),
      ],
      1,
      /^INVALID_LIST: \S+ holds more than 10000 operations\.\n$/,
    ],
    [
      'a graph that is none',
      () => [
        'check',
        '--from',
        relay({ kind: KIND }),
        '--against',
        file('g.graphql', 'type Query { a: Int }'),
      ],
      1,
      /^INVALID_GRAPH: \S+g\.graphql is not a supergraph: /,
    ],
    [
      'a text that is no graph',
      () => ['check', '--from', relay({ kind: KIND }), '--against', file('g.graphql', 'hello {')],
      1,
      /^INVALID_GRAPH: \S+g\.graphql is not a supergraph: /,
    ],
    [
      'limits that are none',
      () => [
        'check',
        '--from',
        relay({ kind: KIND }),
        '--against',
        gateway.supergraphFile,
        '--limits',
        file('gateway.yaml', 'limits: { maxDepth: many }'),
      ],
      1,
      /gateway\.yaml/,
    ],
    [
      'a list of another client, in a folder that has one file for both',
      () => {
        const list = { list: 1, client: 'IOS', published: '2026-11-23T08:00:00.000Z' };
        const manifest = { format: 'apollo-persisted-query-manifest', version: 1, operations: [] };
        file('lists/ios.operations.json', { ...manifest, trellis: list });
        return ['retire', '--client', 'ios', '--lists', lists];
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
    ['a file that is missing', () => ['import', '--from', join(folder, 'none')], 1, /^ENOENT: /],
    [
      'a graph that is missing',
      () => ['check', '--from', relay({ kind: KIND }), '--against', join(folder, 'none.graphql')],
      1,
      /^ENOENT: /,
    ],
  ];

  it.each(BAD)('%s: one sentence', async (_what, args, status, message) => {
    expect(await operations(...args())).toBe(status);
    expect(errors).toMatch(message);
    expect(errors.trim().split('\n').length).toBeLessThan(3);
  });

  it('is retired after a change that another command makes, not over it', async () => {
    await publish('1', relay({ kind: KIND }));
    const lock = file('lists/.ios@1.operations.json.lock', '');
    const retiring = operations('retire', '--client', 'ios', '--client-version', '1', '--lists', lists);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const list = join(lists, 'ios@1.operations.json');
    writeFileSync(list, readFileSync(list, 'utf8').replaceAll('Kind', 'Changed'));
    rmSync(lock);
    expect(await retiring).toBe(0);
    expect(readFileSync(list, 'utf8')).toMatch(/"retires"[^]*Changed/);
    expect(readdirSync(lists)).toEqual(['ios@1.operations.json']);
  });

  it('names each operation with its line, however its id is written', async () => {
    const { readDocuments } = await import('./read-documents.ts');
    const ids = ['b', '10', '2', 'a "quoted" \\ one', 'Kind'];
    const from = relay(Object.fromEntries(ids.map((id) => [id, `${KIND} # ${id}`])));
    const documents = await readDocuments(from);
    expect(documents.map(({ id, line }) => [id, line])).toEqual([
      ['2', 2],
      ['10', 3],
      ['b', 4],
      ['a "quoted" \\ one', 5],
      ['Kind', 6],
    ]);
  });

  it('moves no cursor by what stands in a file', async () => {
    const trellis = { list: 1, client: '\u001b[2Jweb\nios', published: '2026-11-23T08:00:00.000Z' };
    const manifest = { format: 'apollo-persisted-query-manifest', version: 1, operations: [] };
    file('lists/web.operations.json', { ...manifest, trellis });
    expect(await operations('list', '--lists', lists)).toBe(0);
    expect(output.split('\n')).toHaveLength(3);
    expect(output).toContain(String.raw`\u{1b}[2Jweb\u{a}ios`);
  });

  it('every code of a problem is in the documentation', () => {
    const page = readFileSync(new URL('../../../docs/recorded-operations.md', import.meta.url), 'utf8');
    for (const code of Object.keys(operationsProblems)) expect(page).toContain(`\`${code}\``);
  });

  it('leads nowhere else by the name of a client', async () => {
    const from = relay({ kind: KIND });
    for (const client of ['../up', '..', 'a/b', 'con:', '%2e'])
      expect(await operations('publish', '--client', client, '--lists', lists, '--from', from)).toBe(0);
    expect(readdirSync(folder).toSorted()).toEqual(['lists', 'queries.json']);
    expect(readdirSync(lists)).toHaveLength(5);
    await safelist();
    const headers = { 'graphql-client-name': '../up' };
    expect((await gateway.post({ query: NAMES }, headers)).body.errors?.[0]?.extensions['code']).toBe(
      'PERSISTED_QUERY_REQUIRED',
    );
  });
});
