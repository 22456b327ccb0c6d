import cluster from 'node:cluster';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, createMetrics, type Deployable } from '@trellis/runtime';
import { createTemporaryDirectory } from '@trellis/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { gateway } from './gateway.ts';
import { compose } from '../testing/compose.ts';
import { startLibraryGraph, type LibraryGraph } from '../testing/library-graph.ts';
import { startWorkers } from './worker-pool.ts';

const SILENT_MS = 3_000;
const REPLACED_WITHIN_MS = 60_000;
const ANSWERED_WITHIN_MS = 1_000;
const directory = createTemporaryDirectory();
let graph: LibraryGraph;
let running: Deployable;

beforeAll(async () => {
  graph = await startLibraryGraph();
  const file = join(directory.path, 'supergraph.graphql');
  writeFileSync(file, compose(graph.all));
  const config = gateway.readConfig({ PORT: '0', SUPERGRAPH: file, WORKERS: '1' });
  const resources = {
    logger: createLogger({ service: 'gateway', level: 'silent' }),
    metrics: createMetrics('gateway'),
  };
  running = await startWorkers(config, resources, SILENT_MS);
});
afterAll(async () => {
  await running.close();
  await graph.close();
  directory.remove();
});

const processId = (): number | undefined => Object.values(cluster.workers ?? {})[0]?.process.pid;

it('F-21 a worker that does nothing any more is replaced', async () => {
  const blocked = processId() ?? 0;
  process.kill(blocked, 'SIGSTOP');
  const response = await untilAnswered(running.url);
  expect(response).toEqual({ data: { public: 'open to all' } });
  expect(processId()).not.toBe(blocked);
  expect(() => process.kill(blocked, 0)).toThrow('ESRCH');
});

/** A connection that the blocked worker was handed is never answered. */
async function untilAnswered(url: string): Promise<unknown> {
  const deadline = Date.now() + REPLACED_WITHIN_MS;
  for (;;) {
    const response = await fetch(`${url}/graphql?query={public}`, {
      headers: { 'apollo-require-preflight': 'true', connection: 'close' },
      signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
    }).catch((error: unknown) => error);
    if (response instanceof Response) return response.json();
    if (Date.now() > deadline) throw new Error('The worker was not replaced.', { cause: response });
  }
}
