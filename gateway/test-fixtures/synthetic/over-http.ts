import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, createMetrics } from '@trellis/runtime';
import { createTemporaryDirectory } from '@trellis/testkit';
import { gateway } from '../../src/app/gateway.ts';
import type { Answered } from './compare.ts';
import type { RandomOperation } from './random-operation.ts';
import type { RunningGraph } from './start-graph.ts';

/** A whole gateway, asked as clients ask. */
export interface AskedGateway {
  ask(operation: RandomOperation): Promise<Answered>;
  close(): Promise<void>;
}

/**
 * Starts a gateway over the servers of a graph. It has no limits: operations are random. Its circuit breakers never open:
 * where subgraphs fail, each operation is to be answered by its own failures.
 */
export async function startGatewayOver(graph: RunningGraph): Promise<AskedGateway> {
  const directory = createTemporaryDirectory();
  const supergraphFile = join(directory.path, 'supergraph.graphql');
  writeFileSync(supergraphFile, graph.sdl);
  const configFile = join(directory.path, 'gateway.yaml');
  writeFileSync(configFile, 'traffic: { breaker: false }\nplanning: { threads: 1 }\n');
  const running = await gateway.start(
    gateway.readConfig({ PORT: '0', SUPERGRAPH: supergraphFile, CONFIG: configFile, GUARDS: 'off' }),
    { logger: createLogger({ service: 'gateway', level: 'silent' }), metrics: createMetrics('gateway') },
  );
  return {
    ask: (operation) => ask(running.url, operation),
    async close() {
      await running.close();
      directory.remove();
    },
  };
}

async function ask(url: string, { text: query, variables }: RandomOperation): Promise<Answered> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()) as Answered;
}
