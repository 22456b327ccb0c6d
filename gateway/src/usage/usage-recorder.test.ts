import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOperations, type RecordedOperation } from '@trellis/composition';
import { createLogger } from '@trellis/runtime';
import { gql } from 'graphql-tag';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startSubgraph, type SubgraphServer } from '../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { openUsageRecorder } from './usage-recorder.ts';

const TYPES = gql`
  type Query {
    greeting(name: String): String
    failing: String
  }
`;

let subgraph: SubgraphServer;
let folder: string;
beforeAll(async () => {
  const resolvers = {
    Query: {
      greeting: () => 'hello',
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
    expect(Object.values(failing?.errors ?? {})).toEqual([1]);
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

  it('is incomplete where intervals were given up', async () => {
    const lost: number[] = [];
    const recorder = await openUsageRecorder({
      directory: folder,
      intervalMs: 5,
      documents: 10,
      rows: 10,
      logger: createLogger({ service: 'test', level: 'silent' }),
      onLost: (operations) => lost.push(operations),
    });
    rmSync(folder, { recursive: true });
    await expect.poll(() => lost.length).toBeGreaterThan(0);
    mkdirSync(folder);
    await recorder.close();
    expect((await readOperations([folder])).isComplete).toBe(false);
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
