import cluster from 'node:cluster';
import { createTemporaryDirectory, until } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLibraryGraph, type LibraryGraph } from '../testing/library-graph.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import type { FieldUse } from '../pipeline/services.ts';

const RESPONSE_MS = 3_000;
const usageFolder = createTemporaryDirectory();
let graph: LibraryGraph;
let gateway: TestGateway;

beforeAll(async () => {
  graph = await startLibraryGraph();
  gateway = await startTestGateway({
    subgraphs: graph.all,
    settings: JSON.stringify({ usage: { directory: usageFolder.path } }),
    environment: { WORKERS: '2' },
  });
});
afterAll(async () => {
  await gateway.close();
  await graph.close();
  usageFolder.remove();
});

/** On a connection of its own: workers take turns. */
async function fieldUse(): Promise<FieldUse> {
  const response = await fetch(`${gateway.url}/explorer/field-users?field=Query.public`, {
    headers: { connection: 'close' },
    signal: AbortSignal.timeout(RESPONSE_MS),
  });
  return (await response.json()) as FieldUse; // the route says it
}

/** Once all workers have responded in time. */
async function wholeFieldUse(): Promise<FieldUse> {
  let use: FieldUse | undefined;
  await until(async () => (use = await fieldUse().catch(() => undefined))?.missingWorkers === 0);
  return use as FieldUse; // it came
}

function requestsOf({ users }: FieldUse): Readonly<Record<string, number>> {
  return Object.fromEntries(users.map(({ name, requests }) => [name, requests]));
}

describe('Who uses a field, where several workers serve', () => {
  it('is what all of them have counted, whichever of them is asked', async () => {
    for (const client of ['web', 'web', 'web', 'web', 'web', 'web', 'ios', 'ios', 'ios', 'ios'])
      await gateway.post(
        { query: '{ public }' },
        { connection: 'close', 'apollographql-client-name': client },
      );
    await until(async () => requestsOf(await wholeFieldUse())['web'] === 6);
    for (let time = 0; time < 6; time += 1) {
      const use = await wholeFieldUse();
      expect(requestsOf(use)).toEqual({ web: 6, ios: 4 });
      expect(use.further).toBe(0);
    }
  });

  it('lacks the part of one that does not respond in time, and says so', async () => {
    const [stopped] = Object.values(cluster.workers ?? {}).flatMap((worker) => worker?.process.pid ?? []);
    process.kill(stopped ?? 0, 'SIGSTOP');
    try {
      let use: FieldUse | undefined;
      // A connection that the stopped worker was handed has no response.
      await until(async () => (use = await fieldUse().catch(() => undefined)) !== undefined);
      expect(use).toMatchObject({ missingWorkers: 1 });
      const counted = requestsOf(use as FieldUse); // it came
      expect((counted['web'] ?? 0) + (counted['ios'] ?? 0)).toBeLessThan(10);
    } finally {
      process.kill(stopped ?? 0, 'SIGCONT');
    }
    await wholeFieldUse();
  });
});
