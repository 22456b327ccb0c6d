import { collectDefaultMetrics, Registry } from 'prom-client';
import Fastify, { type FastifyInstance } from 'fastify';
import { MAX_PORT } from '../config/parse-variable.ts';
import { guardChanges } from './guard-changes.ts';
import { isPortInUse } from './port-in-use.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** What a deployable adds to the operations port. Changing something needs a secret. */
export interface OperationsRoutes {
  /** The newest first; absent where only programs of this machine may change something. */
  readonly secrets?: readonly string[] | undefined;
  /** Called once, before the port is open. */
  add(server: FastifyInstance): void;
  /** Closes what they hold. */
  close(): void;
}

/** Settings of {@link startOperationsServer}. */
export interface OperationsServerOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** @default '127.0.0.1', because this port is not public */
  readonly host?: string;
  /** Whether a port that another program has may be replaced by the next free one, 16 tried. @default false */
  readonly takesNextPort?: boolean;
  /** What is served; several when a process hosts several deployables. */
  readonly metrics: readonly Metrics[];
  /** @default none */
  readonly routes?: readonly OperationsRoutes[];
}

/** A listening operations server. */
export interface OperationsServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves `GET /metrics` in the Prometheus text format, with those of the process, and routes of deployables, on a port of its own.
 *
 * @throws Error of node:net where it can't listen: EADDRINUSE names the configured port
 */
export async function startOperationsServer(options: OperationsServerOptions): Promise<OperationsServer> {
  const processMetrics = new Registry();
  collectDefaultMetrics({ register: processMetrics });
  const server = Fastify({ forceCloseConnections: true });
  server.get('/metrics', async (_request, reply) => {
    const texts = await Promise.all(
      [processMetrics, ...options.metrics].map((registry) => registry.metrics()),
    );
    return reply.type(processMetrics.contentType).send(mergeExpositions(texts));
  });
  const routes = options.routes ?? [];
  const host = options.host ?? '127.0.0.1';
  for (const each of routes)
    server.register(async (scope) => {
      guardChanges(scope, { secrets: each.secrets, host });
      each.add(scope);
    });
  server.addHook('onClose', async () => {
    for (const each of routes) each.close();
  });
  const url = await listen(server, host, portsOf(options));
  return { url, close: () => server.close() };
}

/** With the configured one: so many programs on one machine find a port each. */
const MOST_PORTS = 16;

function portsOf({ port, takesNextPort = false }: OperationsServerOptions): readonly number[] {
  const count = takesNextPort && port !== 0 ? Math.min(MOST_PORTS, MAX_PORT - port + 1) : 1;
  return Array.from({ length: count }, (_, index) => port + index);
}

/** Binding decides: of two programs that looked for a free port before, both may find the same one. */
async function listen(server: FastifyInstance, host: string, ports: readonly number[]): Promise<string> {
  let firstFailure: unknown;
  for (const port of ports)
    try {
      return await server.listen({ port, host });
    } catch (error) {
      firstFailure ??= error;
      if (!isPortInUse(error)) break;
    }
  throw firstFailure;
}

/** The exposition format wants each metric's HELP and TYPE once, with all its series behind them. */
function mergeExpositions(texts: readonly string[]): string {
  const families = new Map<string, { head: string; series: string[] }>();
  for (const family of texts.flatMap((text) => text.split(/\n(?=# HELP )/))) {
    const lines = family.split('\n').filter((line) => line !== '');
    const [help = '', type = '', ...series] = lines;
    if (help === '') continue;
    const known = families.get(type);
    if (known) known.series.push(...series);
    else families.set(type, { head: `${help}\n${type}`, series });
  }
  return [...families.values()].map(({ head, series }) => [head, ...series, ''].join('\n')).join('\n');
}
