import { freePort } from '@trellis/testkit';
import { startProgram, type RunningProgram } from './running-program.ts';

/** Settings of {@link startGateway}. */
export interface GatewayOptions {
  /** File of the supergraph, `registry`, or running subgraphs to compose: their addresses by name. */
  readonly supergraph: string | Readonly<Record<string, string>>;
  /** More arguments of `npm run gateway`. */
  readonly args?: readonly string[];
  /** Undefined removes a variable. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** A gateway that answers. */
export interface GatewayProcess extends RunningProgram {
  /** Its GraphQL endpoint. */
  readonly graph: string;
}

const READY_DEADLINE_MS = 90_000;

/** Does what `npm run gateway -- --supergraph FILE --port N` does, or `--subgraph NAME=URL …`, on a free port. */
export async function startGateway(options: GatewayOptions): Promise<GatewayProcess> {
  const port = await freePort();
  const program = startProgram('gateway', {
    args: [...graphFlags(options.supergraph), '--port', String(port), ...(options.args ?? [])],
    environment: { OPERATIONS_PORT: '0', ...options.environment },
  });
  try {
    await program.output.waitFor(/\bready\b/, READY_DEADLINE_MS);
  } catch (error) {
    await program.stop('SIGKILL');
    throw error;
  }
  return { ...program, graph: `http://localhost:${port}/graphql` };
}

function graphFlags(supergraph: GatewayOptions['supergraph']): readonly string[] {
  if (typeof supergraph === 'string') return ['--supergraph', supergraph];
  return Object.entries(supergraph).flatMap(([name, url]) => ['--subgraph', `${name}=${url}`]);
}
