import { collectDefaultMetrics, Registry } from 'prom-client';
import Fastify, { type FastifyInstance } from 'fastify';
import { guardChanges } from './guard-changes.ts';
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

/** Serves `GET /metrics` in the Prometheus text format, with those of the process, and routes of deployables, on a port of its own. */
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
  const url = await server.listen({ port: options.port, host });
  return { url, close: () => server.close() };
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
