import cluster from 'node:cluster';
import {
  createLogger,
  createMetrics,
  endOnUnhandledError,
  explainStartupError,
  type Logger,
} from '@trellis/runtime';
import { EXIT_FAILED } from '@trellis/runtime/exit-codes';
import { AggregatorRegistry } from 'prom-client';
import { sentConfig, type SentConfig } from '../config/config.ts';
import { startGateway, type ServingGateway } from './start-gateway.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

// The program of a worker process. It gets its configuration from the primary process, serves on the port that all
// workers share, and ends on a `close` message or when the primary process is gone. Signals are the primary's business:
// a terminal sends them to both.
const ALIVE_EVERY_MS = 1_000;
const GRAPH_DEADLINE_MS = 1_000;
const VERDICT_DEADLINE_MS = 2_000;

let gateway: ServingGateway | undefined;
let logger: Logger | undefined;
let listen = (): void => undefined;

process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.on('message', (message: ToWorker) => {
  if (message.kind === 'start') void serve(message.config);
  else if (message.kind === 'listen') listen();
  else if (message.kind === 'close') void close();
  else if (message.kind === 'sdl') sendGraph().catch(reportUnsentGraph);
  else if (message.kind === 'verdict') void sendVerdict(message.sequence); // it does not reject
});
process.on('disconnect', () => void close());
setInterval(() => send({ kind: 'alive' }), ALIVE_EVERY_MS).unref();
send({ kind: 'waiting' });

async function serve(config: SentConfig): Promise<void> {
  const log = createLogger({ service: 'gateway', level: config.LOG_LEVEL }).child({
    worker: cluster.worker?.id,
  });
  logger = log;
  endOnUnhandledError(log, async () => gateway?.close());
  const metrics = createMetrics('gateway');
  AggregatorRegistry.setRegistries(metrics);
  void new AggregatorRegistry(); // answers the primary's question for metrics
  try {
    const running = await startGateway(config, { logger: log, metrics }, mayListen);
    gateway = running;
    running.configuration.follow(() =>
      send({ kind: 'configuration', config: sentConfig(running.configuration.config) }),
    );
    send({ kind: 'ready', url: gateway.url });
  } catch (error) {
    const reason = explainStartupError(error, config);
    if (reason === undefined) log.fatal({ err: error }, 'worker start failed');
    send({ kind: 'failed', message: reason ?? String(error) });
    process.exit(EXIT_FAILED);
  }
}

/** A port that all workers share is open as soon as one of them listens; so they begin together. */
function mayListen(): Promise<void> {
  return new Promise((resolve) => {
    listen = resolve;
    send({ kind: 'prepared' });
  });
}

async function close(): Promise<void> {
  await gateway?.close();
  process.exit(0);
}

async function sendGraph(): Promise<void> {
  if (gateway) send({ kind: 'sdl', sdl: await gateway.sdl(AbortSignal.timeout(GRAPH_DEADLINE_MS)) });
}

/** Another worker is asked, or the primary process waits no longer than its deadline. */
function reportUnsentGraph(err: unknown): void {
  logger?.warn({ err }, 'worker cannot send its supergraph');
}

async function sendVerdict(sequence: number): Promise<void> {
  const found = await gateway?.verdict(sequence, AbortSignal.timeout(VERDICT_DEADLINE_MS));
  send({ kind: 'verdict', sequence, found });
}

function send(message: FromWorker): void {
  process.send?.(message);
}
