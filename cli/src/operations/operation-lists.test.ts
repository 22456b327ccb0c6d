import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOperations } from '@trellis/composition';
import {
  startSubgraph,
  startTestGateway,
  type SubgraphServer,
  type TestGateway,
} from '@trellis/gateway/testing';
import { gql } from 'graphql-tag';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OperationsFolder } from '../../testing/operations-folder.ts';
import { operationsProblems } from '../recorded/operations-problem.ts';

const KIND = 'query Kind { greeting }';
const NAMES = 'query Names { names }';

let subgraph: SubgraphServer;
let gateway: TestGateway;
let work: OperationsFolder;

beforeAll(async () => {
  subgraph = await startSubgraph({
    name: 'greetings',
    typeDefs: gql`
      type Query {
        greeting: String
        names(first: Int): [String]
      }
    `,
    resolvers: { Query: { greeting: () => 'hello', names: () => [] } },
  });
  gateway = await startTestGateway({ subgraphs: [subgraph], settings: '{}' });
});
afterAll(async () => {
  await gateway.close();
  await subgraph.close();
});
beforeEach(() => {
  work = new OperationsFolder();
});
afterEach(() => work.remove());

const publish = (version: string, from: string, ...more: readonly string[]): Promise<number> =>
  work.operations(
    'publish',
    '--client',
    'ios',
    '--client-version',
    version,
    '--lists',
    work.lists,
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
  gateway.reload({
    persistedQueries: { mode: 'safelist', lists: work.lists, manifests: [work.relay({ kind: KIND })] },
  });

describe('A list of operations', () => {
  it('is all that a version of a client may run, until it is retired; others go on', async () => {
    expect(await publish('1', work.relay({ kind: KIND }))).toBe(0);
    expect(work.output).toBe('1 operations of ios 1 published.\n');
    expect(await publish('2', work.relay({ kind: KIND, names: NAMES }))).toBe(0);
    await safelist();
    expect(await served('1')).toEqual(['served', 'PERSISTED_QUERY_REQUIRED']);
    expect(await served('2')).toEqual(['served', 'served']);

    const retire = ['retire', '--client', 'ios', '--client-version', '1', '--lists', work.lists];
    expect(await work.operations(...retire, '--on', '2999-01-01')).toBe(0);
    await safelist();
    expect(await served('1'), 'it is not yet that day').toEqual(['served', 'PERSISTED_QUERY_REQUIRED']);
    expect(await work.operations(...retire)).toBe(0);
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

    await work.operations('list', '--lists', work.lists);
    expect(work.output).toMatch(
      /^CLIENT {2}VERSION {2}OPERATIONS .*\nios {5}1 {8}1 .*Z\nios {5}2 {8}2 .*Z\n$/,
    );
    expect(await work.operations(...retire, '--on', 'never')).toBe(0);
    await safelist();
    expect(await served('1')).toEqual(['served', 'PERSISTED_QUERY_REQUIRED']);
  });

  it('that is retired is logged where the safelist is not enforced', async () => {
    await publish('1', work.relay({ kind: KIND }));
    await work.operations('retire', '--client', 'ios', '--client-version', '1', '--lists', work.lists);
    await gateway.reload({
      persistedQueries: {
        mode: 'safelist',
        enforce: false,
        lists: work.lists,
        manifests: [work.relay({ kind: KIND })],
      },
    });
    expect(await served('1')).toEqual(['served', 'served']);
    const warning = { msg: 'operation from a retired client version', client: 'ios 1' };
    expect(gateway.logged()).toContainEqual(expect.objectContaining(warning));
  });

  it('counts as live operations in a check, unless it is retired', async () => {
    await publish('1', work.relay({ kind: KIND }));
    await publish('2', work.relay({ names: NAMES }));
    await work.operations('retire', '--client', 'ios', '--client-version', '1', '--lists', work.lists);
    expect((await readOperations([work.lists])).operations.map(({ id }) => id)).toEqual(['names']);
  });

  it('is published once: the same again changes nothing, others need --replace', async () => {
    expect(await publish('1', work.relay({ kind: KIND }))).toBe(0);
    expect(await publish('1', work.relay({ kind: KIND }))).toBe(0);
    expect(work.output).toBe('ios 1 is published already.\n');
    expect(await publish('1', work.relay({ kind: KIND, names: NAMES }))).toBe(1);
    expect(work.errors).toMatch(/^LIST_EXISTS: ios 1 is published with other operations: .+--replace\.\n$/);
    expect(await publish('1', work.relay({ kind: KIND, names: NAMES }), '--replace')).toBe(0);
  });

  it('of two who publish for one version at once is that of one of them, whole', async () => {
    const two = [work.relay({ kind: KIND }), work.file('other.json', { names: NAMES })];
    const { OperationLists } = await import('./operation-lists.ts');
    const { readDocuments } = await import('./read-documents.ts');
    const documents = await Promise.all(two.map(readDocuments));
    const outcomes = await Promise.allSettled(
      documents.map((one) =>
        new OperationLists(work.lists).publish({ client: 'ios', version: '1' }, one, false),
      ),
    );
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(readdirSync(work.lists)).toEqual(['ios@1.operations.json']);
  });

  const FORMATS: readonly (readonly [format: string, write: () => string])[] = [
    [
      "Apollo's manifest",
      () =>
        work.file('manifest.json', {
          format: 'apollo-persisted-query-manifest',
          version: 1,
          operations: [{ id: 'kind', name: 'Kind', type: 'query', body: KIND }],
        }),
    ],
    ["Relay's persisted queries", () => work.relay({ kind: KIND })],
    ["graphql-codegen's persisted documents", () => work.file('persisted-documents.json', { kind: KIND })],
    [
      'a folder of documents',
      () => {
        work.file('src/a/kind.graphql', 'query Kind { ...Fields }');
        work.file('src/fields.gql', 'fragment Fields on Query { greeting }');
        return join(work.path, 'src');
      },
    ],
  ];

  it.each(FORMATS)('is read from %s', async (format, write) => {
    const from = write();
    expect(await work.operations('import', '--from', from)).toBe(0);
    const { operations: imported } = JSON.parse(work.output) as {
      operations: readonly { id: string; name: string; body: string }[];
    };
    expect(imported).toMatchObject([{ name: 'Kind' }]);
    if (format !== 'a folder of documents') expect(imported).toMatchObject([{ id: 'kind', body: KIND }]);
    expect(imported[0]?.body).toMatch(/greeting/);
    expect(await work.operations('check', '--from', from, '--against', gateway.supergraphFile)).toBe(0);
    expect(work.output).toBe('1 operations are served.\n');
  });

  it('is checked against a graph: every operation that it does not serve is named with file and line', async () => {
    const graph = join(work.path, 'graph.graphql');
    cpSync(gateway.supergraphFile, graph);
    writeFileSync(graph, readFileSync(graph, 'utf8').replace(/names\(first: Int[^\n]*\n/, '\n'));
    const from = work.relay({ kind: KIND, names: NAMES });
    expect(await work.operations('check', '--from', from, '--against', graph)).toBe(1);
    expect(work.errors).toContain('OPERATION_NOT_SERVED: 1 of the operations are not served by that graph.');
    expect(work.errors).toContain(`${from}:3: GRAPHQL_VALIDATION_FAILED: Names: Cannot query field "names"`);
    expect(await publish('1', from, '--against', graph)).toBe(1);
    expect(await work.operations('list', '--lists', work.lists), 'nothing was published').toBe(1);
    expect(await publish('1', from)).toBe(0);
    expect(await work.operations('check', '--lists', work.lists, '--against', graph, '--json')).toBe(1);
    expect(JSON.parse(work.output)).toMatchObject({
      operations: 2,
      unserved: [{ code: 'GRAPHQL_VALIDATION_FAILED' }],
    });
  });

  it('is retired after a change that another command makes, not over it', async () => {
    await publish('1', work.relay({ kind: KIND }));
    const lock = work.file('lists/.ios@1.operations.json.lock', '');
    const retiring = work.operations(
      'retire',
      '--client',
      'ios',
      '--client-version',
      '1',
      '--lists',
      work.lists,
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    const list = join(work.lists, 'ios@1.operations.json');
    writeFileSync(list, readFileSync(list, 'utf8').replaceAll('Kind', 'Changed'));
    rmSync(lock);
    expect(await retiring).toBe(0);
    expect(readFileSync(list, 'utf8')).toMatch(/"retires"[^]*Changed/);
    expect(readdirSync(work.lists)).toEqual(['ios@1.operations.json']);
  });

  it('names each operation with its line, however its id is written', async () => {
    const { readDocuments } = await import('./read-documents.ts');
    const ids = ['b', '10', '2', 'a "quoted" \\ one', 'Kind'];
    const from = work.relay(Object.fromEntries(ids.map((id) => [id, `${KIND} # ${id}`])));
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
    work.file('lists/web.operations.json', { ...manifest, trellis });
    expect(await work.operations('list', '--lists', work.lists)).toBe(0);
    expect(work.output.split('\n')).toHaveLength(3);
    expect(work.output).toContain(String.raw`\u{1b}[2Jweb\u{a}ios`);
  });

  it('every code of a problem is in the documentation', () => {
    const page = readFileSync(new URL('../../../docs/recorded-operations.md', import.meta.url), 'utf8');
    for (const code of Object.keys(operationsProblems)) expect(page).toContain(`\`${code}\``);
  });

  it('leads nowhere else by the name of a client', async () => {
    const from = work.relay({ kind: KIND });
    for (const client of ['../up', '..', 'a/b', 'con:', '%2e'])
      expect(
        await work.operations('publish', '--client', client, '--lists', work.lists, '--from', from),
      ).toBe(0);
    expect(readdirSync(work.path).toSorted()).toEqual(['lists', 'queries.json']);
    expect(readdirSync(work.lists)).toHaveLength(5);
    await safelist();
    const headers = { 'graphql-client-name': '../up' };
    expect((await gateway.post({ query: NAMES }, headers)).body.errors?.[0]?.extensions['code']).toBe(
      'PERSISTED_QUERY_REQUIRED',
    );
  });
});
