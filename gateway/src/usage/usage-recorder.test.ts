import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOperations, type RecordedOperation } from '@trellis/composition';
import { gql } from 'graphql-tag';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startSubgraph, type SubgraphServer } from '../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { FewTexts } from './usage-counts.ts';

const TYPES = gql`
  enum Tone {
    WARM
    COLD
    DRY
  }
  input Style {
    tone: Tone
    tones: [Tone!]
    shouted: Boolean
    inner: Style
    first: Int
  }
  type Query {
    greeting(name: String): String
    styled(style: Style, tone: Tone): String
    many(first: Int, ids: [ID!], style: Style, count: Int): [String]
    failing: String
  }
`;

let subgraph: SubgraphServer;
let folder: string;
beforeAll(async () => {
  const resolvers = {
    Query: {
      greeting: () => 'hello',
      styled: () => 'hello',
      many: () => [],
      failing: () => {
        throw new Error('no');
      },
    },
  };
  subgraph = await startSubgraph({ name: 'greetings', typeDefs: TYPES, resolvers });
});
afterAll(() => subgraph.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trellis-usage-'));
  return () => rmSync(folder, { recursive: true, force: true });
});

const start = (usage: object): Promise<TestGateway> =>
  startTestGateway({
    subgraphs: [subgraph],
    settings: JSON.stringify({ usage: { directory: folder, ...usage } }),
  });

/** How many scope sets are recorded of an operation that callers with up to so many have sent. */
function countScopes(sets: number): readonly (number | undefined)[] {
  const few = new FewTexts(8);
  const counted: (number | undefined)[] = [];
  for (let set = 1; set <= sets; set += 1) {
    few.add(JSON.stringify([`scope:${set}`]));
    counted.push(few.values?.length);
  }
  return counted.slice(-2);
}

const IOS = { 'graphql-client-name': 'ios', 'graphql-client-version': '3.2' };
const byName = (
  { operations }: { readonly operations: readonly RecordedOperation[] },
  name: string,
): RecordedOperation | undefined => operations.find(({ document }) => document.includes(` ${name}`));

describe('Recorded usage', () => {
  it('says who sends what how often, and nothing that clients have written', async () => {
    const gateway = await start({});
    for (const name of ['ada', 'bob'])
      await gateway.post({ query: `query Greet { greeting(name: "${name}") }` }, IOS);
    await gateway.post({ query: 'query Greet($n: String) { greeting(name: $n) }', variables: { n: 'eve' } });
    await gateway.post({ query: 'query Fails { failing }' }, IOS);
    await gateway.post({ query: '{ unknown }' });
    await gateway.post({ query: 'query Fails { failing }' }, { ...IOS, 'trellis-explain': 'estimate' }); // it is not run
    await gateway.close();

    const recorded = await readOperations([folder]);
    expect(recorded.isComplete).toBe(true);
    expect(recorded.operations).toHaveLength(3);
    expect(byName(recorded, 'Greet($literal1')).toMatchObject({
      document: 'query Greet($literal1:String){greeting(name:$literal1)}',
      clients: [{ name: 'ios', version: '3.2', requests: 2 }],
      scopes: [null],
    });
    expect(byName(recorded, 'Greet($n')?.clients).toMatchObject([{ name: 'unknown', requests: 1 }]);
    const [failing] = byName(recorded, 'Fails')?.clients ?? [];
    expect([failing?.requests, Object.values(failing?.errors ?? {})]).toEqual([1, [1]]);
    expect(JSON.stringify(recorded)).not.toMatch(/ada|bob|eve/);
  });

  it('is incomplete where there were more operations than are counted; more clients than that are one', async () => {
    const gateway = await start({ documents: 1, rows: 2 });
    for (const name of ['a', 'b', 'c', 'd'])
      await gateway.post({ query: 'query First { greeting }' }, { 'graphql-client-name': name });
    await gateway.post({ query: 'query Second { greeting }' });
    await gateway.close();
    const { operations, isComplete } = await readOperations([folder]);
    expect(isComplete).toBe(false);
    expect(
      operations.flatMap(({ clients }) => clients).map(({ name, requests }) => [name, requests]),
    ).toEqual([
      ['a', 1],
      ['b', 1],
      ['other', 2],
    ]);
  });

  it('is one file for each interval, and a mark while the process records', async () => {
    const gateway = await start({ intervalS: 1 });
    await gateway.post({ query: '{ greeting }' });
    const packed = (): number => readdirSync(folder).filter((name) => name.endsWith('.jsonl.gz')).length;
    await expect.poll(packed).toBeGreaterThanOrEqual(2);
    expect(readdirSync(folder).filter((name) => name.endsWith('.open'))).toHaveLength(1);
    await gateway.close();
    expect(readdirSync(folder).filter((name) => name.endsWith('.open'))).toEqual([]);
    const { operations, isComplete } = await readOperations([folder]);
    expect(operations.map(({ clients }) => clients[0]?.requests)).toEqual([1]);
    expect(isComplete).toBe(true);
  });

  it('is incomplete where a process was killed', async () => {
    const gateway = await start({});
    await gateway.close();
    expect((await readOperations([folder])).isComplete).toBe(true);
    writeFileSync(join(folder, 'killed.open'), JSON.stringify({ intervalMs: -1 }));
    expect((await readOperations([folder])).isComplete).toBe(false);
  });

  it('does not start where nothing can be written', async () => {
    writeFileSync(join(folder, 'file'), '');
    await expect(start({ directory: join(folder, 'file') })).rejects.toThrow(
      /^usage\.directory: EEXIST|ENOTDIR/,
    );
  });

  it('L1: leaves no mark in the folder where the gateway does not start', async () => {
    const point = 'A'.repeat(43);
    const key = { kty: 'EC', crv: 'P-256', kid: 'context-1', x: point, y: point, d: point };
    const started = startTestGateway({
      subgraphs: [subgraph],
      settings: JSON.stringify({ usage: { directory: folder } }),
      environment: { USER_CONTEXT_PRIVATE_KEY: JSON.stringify(key) },
    });
    await expect(started).rejects.toThrow();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('L2: takes no interval that no timer can wait for', async () => {
    await expect(start({ intervalS: 86_401 })).rejects.toThrow(/usage\.intervalS/);
  });

  it('names the input fields and enum values that variables have held, and no value of a scalar', async () => {
    const gateway = await start({});
    const query = 'query Styled($style: Style, $tone: Tone = DRY) { styled(style: $style, tone: $tone) }';
    const inner = { inner: { tones: ['COLD'] }, shouted: null };
    await gateway.post({ query, variables: { style: { tone: 'WARM' } } });
    await gateway.post({ query, variables: { style: inner, tone: 'WARM' } });
    await gateway.post({ query: 'query Plain { styled(tone: WARM) }' });
    await gateway.close();
    const recorded = await readOperations([folder]);
    expect([...(byName(recorded, 'Styled')?.inputs ?? [])]).toEqual([
      'Style.inner',
      'Style.shouted',
      'Style.tone',
      'Style.tones',
      'Tone.COLD',
      'Tone.DRY',
      'Tone.WARM',
    ]);
    expect(byName(recorded, 'Plain')?.inputs).toEqual(new Set());
  });

  it('has the largest lengths of lists that were asked for, and no other number', async () => {
    const gateway = await start({});
    const query =
      'query Many($n: Int, $ids: [ID!], $style: Style, $count: Int) { a: many(first: $n, count: $count) b: many(ids: $ids) c: many(style: $style) }';
    const variables = { ids: ['x', 'y'], style: { first: 7 }, count: 4123457 };
    await gateway.post({ query, variables: { ...variables, n: 5 } });
    await gateway.post({ query, variables: { ...variables, n: 3, ids: ['x'] } });
    await gateway.post({ query, variables });
    await gateway.post({ query: 'query Written { many(first: 20, count: 4123457) }' });
    await gateway.close();
    const recorded = await readOperations([folder]);
    expect(byName(recorded, 'Many')?.slices).toEqual([
      { ids: 2, 'style.first': 7, n: 5 },
      { ids: 2, 'style.first': 7 },
    ]);
    expect(byName(recorded, 'Written')?.slices).toEqual([{ literal1: 20 }]);
    expect(JSON.stringify(recorded)).not.toContain('4123457');
  });

  it('does not take some of the rights of callers for all of them', () => {
    expect(countScopes(9)).toEqual([8, undefined]);
  });

  it('is counted on while the folder is gone, and written when it is back', async () => {
    const gateway = await start({ intervalS: 1 });
    rmSync(folder, { recursive: true });
    await gateway.post({ query: 'query Meanwhile { greeting }' });
    await expect
      .poll(() => gateway.logged().filter(({ msg }) => msg === 'usage cannot be written'))
      .toHaveLength(1);
    mkdirSync(folder);
    await expect
      .poll(() => readdirSync(folder).filter((name) => name.endsWith('.gz')).length)
      .toBeGreaterThan(1);
    await gateway.close();
    expect(byName(await readOperations([folder]), 'Meanwhile')?.clients).toMatchObject([{ requests: 1 }]);
  });
});
