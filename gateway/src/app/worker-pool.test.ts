import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startLibraryGraph, type LibraryGraph } from '../testing/library-graph.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

let graph: LibraryGraph;
let gateway: TestGateway;

beforeAll(async () => {
  graph = await startLibraryGraph();
  gateway = await startTestGateway({ subgraphs: graph.all, environment: { WORKERS: '2' } });
});
afterAll(async () => {
  await gateway.close();
  await graph.close();
});

const processIds = (): readonly number[] =>
  Object.values(cluster.workers ?? {}).flatMap((worker) => worker?.process.pid ?? []);

/** One connection a request, so that the workers take turns. */
async function ask(): Promise<unknown> {
  return (await gateway.post({ query: '{ public }' }, { connection: 'close' })).body;
}

describe('Workers', () => {
  it('share a port and add up their metrics', async () => {
    expect(processIds()).toHaveLength(2);
    for (let index = 0; index < 6; index += 1)
      expect(await ask()).toEqual({ data: { public: 'open to all' } });
    const metrics = await gateway.metrics.metrics();
    expect(metrics).toMatch(/trellis_gateway_operations_total\{.*outcome="OK".*\} 6/);
  });

  it('are replaced when they die, while the others go on', async () => {
    const [first = 0, second = 0] = processIds();
    process.kill(first, 'SIGKILL');
    await until(() => !processIds().includes(first)); // what was being handed to it when it died is lost with it
    for (let index = 0; index < 20; index += 1) {
      expect(await ask()).toEqual({ data: { public: 'open to all' } });
      await sleep(10);
    }
    await until(() => processIds().length === 2);
    expect(processIds()).toContain(second);
  });

  it('end with the gateway', async () => {
    const before = processIds();
    await gateway.close();
    for (const pid of before) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('have the lists of operations that the gateway read', async () => {
    const listed = await startTestGateway({
      subgraphs: graph.all,
      environment: { WORKERS: '2' },
      settings: 'persistedQueries: { mode: safelist, manifests: [operations.json] }',
      files: { 'operations.json': JSON.stringify({ one: '{ public }' }) },
    });
    onTestFinished(() => listed.close());
    expect((await listed.post({ query: '{ public }' })).body).toEqual({ data: { public: 'open to all' } });
    expect((await listed.post({ query: '{ __typename }' })).body).toMatchObject({
      errors: [{ extensions: { code: 'PERSISTED_QUERY_REQUIRED' } }],
    });
  });
});
