import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createTemporaryDirectory, freePort, type Proof, type ProofOptions } from '@trellis/testkit';
import { Pool } from 'undici';
import { compose } from '../src/testing/compose.ts';
import { startLibraryGraph } from '../src/testing/library-graph.ts';
import { YOUNG_GENERATION } from '../src/workers/young-generation.ts';
import { mixedOperation } from '../test-fixtures/load/mixed-operations.ts';

interface Size {
  readonly operations: number;
  /** After which the caches are full and the code is compiled. */
  readonly warmUp: number;
  readonly maxGrowthPercent: number;
  readonly maxResidentMb: number;
}

/** So few operations only show that nothing grows with each of them. */
const SIZES: Readonly<Record<ProofOptions['size'], Size>> = {
  small: { operations: 1_500, warmUp: 500, maxGrowthPercent: 50, maxResidentMb: 450 },
  full: { operations: 1_000_000, warmUp: 100_000, maxGrowthPercent: 5, maxResidentMb: 300 },
};
const CONNECTIONS = 16;
/** Measured over the last part of a stretch: garbage makes single readings jump. */
const READINGS = 20;
const START_DEADLINE_MS = 60_000;

/** The gateway's process alone, under operations of every kind. */
export const proof: Proof = {
  name: 'memory',
  description: 'The resident memory of the gateway does not grow with the operations it has answered.',
  async run({ size }) {
    const { operations, warmUp, maxGrowthPercent, maxResidentMb } = SIZES[size];
    const graph = await startLibraryGraph();
    const forgetting = setInterval(graph.forget, 100); // the subgraphs keep what they received
    const gateway = await startGatewayProcess(compose(graph.all));
    try {
      const before = await gateway.answer(0, warmUp);
      const after = await gateway.answer(warmUp, operations);
      const growthPercent = (after / before - 1) * 100;
      return {
        passed: growthPercent <= maxGrowthPercent && after <= maxResidentMb,
        figures: {
          operations,
          warmUp,
          residentMbBefore: before.toFixed(0),
          residentMbAfter: after.toFixed(0),
          growthPercent: growthPercent.toFixed(1),
        },
      };
    } finally {
      clearInterval(forgetting);
      await gateway.close();
      await graph.close();
    }
  },
};

interface GatewayProcess {
  /**
   * Sends the operations of these numbers.
   *
   * @returns the median of the resident memory in the last fifth, megabytes
   */
  answer(from: number, to: number): Promise<number>;
  close(): Promise<void>;
}

async function startGatewayProcess(supergraph: string): Promise<GatewayProcess> {
  const directory = createTemporaryDirectory();
  const file = join(directory.path, 'supergraph.graphql');
  await writeFile(file, supergraph);
  const [port, operationsPort] = [await freePort(), await freePort()];
  const child = spawnGateway({
    SUPERGRAPH: file,
    PORT: String(port),
    OPERATIONS_PORT: String(operationsPort),
    GUARDS: 'off',
    LOG_LEVEL: 'silent',
  });
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS });
  const metrics = new Pool(`http://127.0.0.1:${operationsPort}`, { connections: 1 });
  await untilReady(pool, child);
  return {
    async answer(from, to) {
      const readings: number[] = [];
      const last = to - Math.floor((to - from) / 5);
      const every = Math.max(1, Math.floor((to - last) / READINGS));
      let next = from;
      const work = async (): Promise<void> => {
        while (next < to) {
          const number = next++;
          await send(pool, number);
          if (number >= last && (number - last) % every === 0) readings.push(await residentMb(metrics));
        }
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, work));
      return readings.toSorted((a, b) => a - b)[Math.floor(readings.length / 2)] ?? Number.NaN;
    },
    async close() {
      await Promise.all([pool.close(), metrics.close()]);
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      directory.remove();
    },
  };
}

/** From source, with the young generation that the gateway is run with. */
function spawnGateway(variables: Readonly<Record<string, string>>): ChildProcess {
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  const flags = [...YOUNG_GENERATION, '--conditions=trellis-source', '--import', loader];
  return spawn(process.execPath, [...flags, main], {
    env: { PATH: process.env['PATH'], ...variables },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function untilReady(pool: Pool, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + START_DEADLINE_MS;
  while (performance.now() < deadline && child.exitCode === null) {
    const answer = await pool.request({ method: 'GET', path: '/health/ready' }).catch(() => undefined);
    await answer?.body.dump();
    if (answer?.statusCode === 200) return;
    await sleep(100);
  }
  throw new Error('The gateway did not start.');
}

async function send(pool: Pool, number: number): Promise<void> {
  const { body, headers, expected } = mixedOperation(number);
  const answer = await pool.request({ method: 'POST', path: '/graphql', headers, body });
  const text = await answer.body.text();
  if (!text.includes(expected)) throw new Error(`Operation ${number}: ${text.slice(0, 300)}`);
}

async function residentMb(metrics: Pool): Promise<number> {
  const answer = await metrics.request({ method: 'GET', path: '/metrics' });
  const bytes = /^process_resident_memory_bytes\S* (\S+)/m.exec(await answer.body.text())?.[1];
  return Number(bytes) / 1e6;
}
