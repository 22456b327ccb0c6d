import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTemporaryDirectory, proof, type ProofOptions } from '@trellis/testkit';
import { Pool } from 'undici';
import { compose } from '../src/testing/compose.ts';
import { startLibraryGraph } from '../src/testing/library-graph.ts';
import { startGatewayProcess, type GatewayProgram } from '../test-fixtures/gateway-process.ts';
import { mixedOperation } from '../test-fixtures/load/mixed-operations.ts';

interface Size {
  readonly operations: number;
  /** After which the caches are full and the code is compiled. */
  readonly warmUp: number;
  readonly maxGrowthPercent: number;
  readonly maxResidentMb: number;
  readonly program: GatewayProgram;
}

/** So few operations only show that nothing grows with each of them. */
const SIZES: Readonly<Record<ProofOptions['size'], Size>> = {
  small: { operations: 1_500, warmUp: 500, maxGrowthPercent: 50, maxResidentMb: 380, program: 'source' },
  full: {
    operations: 1_000_000,
    warmUp: 100_000,
    maxGrowthPercent: 5,
    maxResidentMb: 300,
    program: 'compiled',
  },
};
const CONNECTIONS = 16;
/** Measured over the last part of a stretch: garbage makes single readings jump. */
const READINGS = 20;

/** The gateway's process alone, under operations of every kind. */
proof({
  name: 'memory',
  description: 'The resident memory of the gateway does not grow with the operations it has answered.',
  async run({ size }) {
    const { operations, warmUp, maxGrowthPercent, maxResidentMb, program } = SIZES[size];
    const graph = await startLibraryGraph();
    const forgetting = setInterval(graph.forget, 100); // the subgraphs keep what they received
    const gateway = await startLoadedGateway(compose(graph.all), program);
    try {
      const before = await gateway.response(0, warmUp);
      const after = await gateway.response(warmUp, operations);
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
});

interface LoadedGateway {
  /**
   * Sends the operations of these numbers.
   *
   * @returns the median of the resident memory in the last fifth, megabytes
   */
  response(from: number, to: number): Promise<number>;
  close(): Promise<void>;
}

async function startLoadedGateway(supergraph: string, program: GatewayProgram): Promise<LoadedGateway> {
  const directory = createTemporaryDirectory();
  const file = join(directory.path, 'supergraph.graphql');
  await writeFile(file, supergraph);
  const gateway = await startGatewayProcess({ SUPERGRAPH: file, GUARDS: 'off' }, program);
  const pool = new Pool(gateway.url, { connections: CONNECTIONS });
  return {
    async response(from, to) {
      const readings: number[] = [];
      const last = to - Math.floor((to - from) / 5);
      const every = Math.max(1, Math.floor((to - last) / READINGS));
      let next = from;
      const work = async (): Promise<void> => {
        while (next < to) {
          const number = next++;
          await send(pool, number);
          if (number >= last && (number - last) % every === 0) readings.push(gateway.residentBytes() / 1e6);
        }
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, work));
      return readings.toSorted((a, b) => a - b)[Math.floor(readings.length / 2)] ?? Number.NaN;
    },
    async close() {
      await pool.close();
      await gateway.stop();
      directory.remove();
    },
  };
}

async function send(pool: Pool, number: number): Promise<void> {
  const { body, headers, expected } = mixedOperation(number);
  const response = await pool.request({ method: 'POST', path: '/graphql', headers, body });
  const text = await response.body.text();
  if (!text.includes(expected)) throw new Error(`Operation ${number}: ${text.slice(0, 300)}`);
}
