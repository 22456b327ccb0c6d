import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { proof, type ProofOptions } from '@trellis/testkit';
import { Agent, request } from 'undici';
import { startLibraryGraph, type LibraryGraph } from '../src/testing/library-graph.ts';
import {
  startGatewayProcess,
  type GatewayProcess,
  type GatewayProcessOptions,
} from '../test-fixtures/load/gateway-process.ts';

interface Size {
  readonly connections: number;
  readonly clients: number;
  readonly phaseMs: number;
}

const SIZES: Readonly<Record<ProofOptions['size'], Size>> = {
  small: { connections: 400, clients: 32, phaseMs: 2_000 },
  full: { connections: 2_000, clients: 128, phaseMs: 30_000 },
};
const DESCRIPTORS = 256;
const HEAP_MB = 256;
/** Below what a body may have. */
const VALUE_BYTES = 900_000;
const RECOVERED_WITHIN_MS = 60_000;

/** F-22: too few file descriptors, too little memory. */
proof({
  name: 'scarce-resources',
  description: 'A gateway that runs out of file descriptors or memory rejects, and does not end.',
  async run({ size }) {
    const settings = SIZES[size];
    const graph = await startLibraryGraph();
    try {
      const descriptors = await withGateway(
        graph,
        { startedBy: ['prlimit', `--nofile=${DESCRIPTORS}:${DESCRIPTORS}`] },
        (running) => exhaustDescriptors(running, settings),
      );
      const memory = await withGateway(
        graph,
        { nodeArguments: [`--max-old-space-size=${HEAP_MB}`] },
        (running) => exhaustMemory(running, settings),
      );
      return {
        passed: descriptors.isAlive && memory.isAlive,
        figures: {
          connections: settings.connections,
          aliveWithoutDescriptors: String(descriptors.isAlive),
          recoveredAfterMs: Math.round(descriptors.recoveredMs),
          largeRequests: memory.sent,
          answered: memory.answered,
          rejected: memory.rejected,
          aliveWithoutMemory: String(memory.isAlive),
          responsesAgainAfterMs: Math.round(memory.recoveredMs),
        },
      };
    } finally {
      await graph.close();
    }
  },
});

async function withGateway<Found>(
  graph: LibraryGraph,
  options: Omit<GatewayProcessOptions, 'subgraphs'>,
  work: (running: GatewayProcess) => Promise<Found>,
): Promise<Found> {
  const running = await startGatewayProcess({ subgraphs: graph.all, ...options });
  try {
    return await work(running);
  } finally {
    running.remove();
  }
}

interface Survival {
  /** It has not ended, and answers as before. */
  readonly isAlive: boolean;
  readonly recoveredMs: number;
}

/** More connections than it may have, and requests beside them. */
async function exhaustDescriptors(running: GatewayProcess, size: Size): Promise<Survival> {
  const { port } = new URL(running.url);
  const sockets: Socket[] = Array.from({ length: size.connections }, () =>
    connect(Number(port), '127.0.0.1').on('error', () => undefined),
  );
  const agent = new Agent({ connections: 8, headersTimeout: 1_000, connectTimeout: 1_000 });
  const end = performance.now() + size.phaseMs;
  while (performance.now() < end) {
    await Promise.all(Array.from({ length: 8 }, () => ask(running.url, agent).catch(() => undefined)));
    await sleep(50);
  }
  for (const socket of sockets) socket.destroy();
  await agent.destroy();
  return survival(running);
}

interface MemoryFound extends Survival {
  readonly sent: number;
  readonly answered: number;
  readonly rejected: number;
}

/** Many clients that each send, and ask for, almost as much as they may. */
async function exhaustMemory(running: GatewayProcess, { clients, phaseMs }: Size): Promise<MemoryFound> {
  const agent = new Agent({ connections: clients });
  const body = JSON.stringify({
    query: 'query ($value: String) { echo(value: $value) }',
    variables: { value: 'x'.repeat(VALUE_BYTES) },
  });
  const found = { sent: 0, answered: 0, rejected: 0 };
  const end = performance.now() + phaseMs;
  const client = async (): Promise<void> => {
    while (performance.now() < end && running.process.exitCode === null) {
      found.sent += 1;
      const status = await send(running.url, agent, body).catch(() => 0);
      if (status === 200) found.answered += 1;
      else found.rejected += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  await agent.destroy();
  return { ...found, ...(await survival(running)) };
}

async function send(url: string, dispatcher: Agent, body: string): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const response = await request(`${url}/graphql`, { method: 'POST', dispatcher, headers, body });
  await response.body.dump();
  return response.statusCode;
}

async function ask(url: string, dispatcher: Agent): Promise<unknown> {
  const response = await request(`${url}/graphql`, {
    method: 'POST',
    dispatcher,
    headers: { 'content-type': 'application/json' },
    body: '{"query":"{ people(limit: 1) { name books { title } } }"}',
  });
  return response.body.json();
}

const RIGHT = '{"data":{"people":[{"name":"Ada","books":[{"title":"Book 1"}]}]}}';

/** Whether it has recovered. */
async function survival(running: GatewayProcess): Promise<Survival> {
  const start = performance.now();
  const agent = new Agent({ headersTimeout: 5_000 });
  try {
    for (;;) {
      const response = await ask(running.url, agent).catch(() => undefined);
      const recoveredMs = performance.now() - start;
      const isAlive = running.process.exitCode === null && running.process.signalCode === null;
      if (isAlive && JSON.stringify(response) === RIGHT) return { isAlive, recoveredMs };
      if (!isAlive || recoveredMs > RECOVERED_WITHIN_MS) return { isAlive: false, recoveredMs };
      await sleep(100);
    }
  } finally {
    await agent.destroy();
  }
}
