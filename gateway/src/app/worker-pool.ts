import cluster, { type ClusterSettings, type Worker } from 'node:cluster';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { freePort } from '@trellis/runtime/free-port';
import type { Logger, Resources } from '@trellis/runtime';
import { AggregatorRegistry } from 'prom-client';
import { sentConfig, type GatewayConfig, type SentConfig } from '../config/config.ts';
import { isRelayed, type RelayedTrial } from '../variants/trial-exchange.ts';
import type { RecordVerdict } from '../registry/record-verdicts.ts';
import { HEAP_FLAGS } from './heap-flags.ts';
import type { ServingGateway } from './start-gateway.ts';
import type { UsersWanted } from '../usage/users-exchange.ts';
import { UsersOfWorkers } from './users-of-workers.ts';
import { ask, hears, listens, send, type FromWorker } from './worker-messages.ts';

const RESTART_PAUSE_MS = 500;
const CLOSE_DEADLINE_MS = 20_000;
const SILENT_MS = 10_000;
const WATCH_EVERY_MS = 1_000;

/**
 * Serves with several processes that share one port, which is open when all of them are ready. One that dies, or whose
 * event loop is blocked, is replaced; the metrics of this process are the sums of theirs.
 *
 * @param silentMs milliseconds without a sign of life after which a worker is killed; 10,000 by default
 *
 * @throws Error when the first workers can't start
 */
export async function startWorkers(
  config: GatewayConfig,
  { logger, metrics }: Resources,
  silentMs: number = SILENT_MS,
): Promise<ServingGateway> {
  const sent = { ...sentConfig(config), PORT: await fixedPort(config) };
  const pool = new WorkerPool(sent, logger, silentMs);
  const url = await pool.start();
  const aggregator = new AggregatorRegistry();
  metrics.metrics = () => aggregator.clusterMetrics();
  return {
    url,
    sdl: (signal) => pool.sdl(signal),
    verdict: (sequence, signal) => pool.verdict(sequence, signal),
    close: () => pool.close(),
  };
}

class WorkerPool {
  /** The configuration that came into force last, at any worker: one that replaces another begins with it, whatever the files are like by then. */
  #config: SentConfig;
  readonly #logger: Logger;
  /** Whether each of them serves yet. */
  readonly #workers = new Map<Worker, 'starting' | 'serving'>();
  readonly #silentMs: number;
  /** When each of them gave its last sign of life. */
  readonly #heardAt = new Map<Worker, number>();
  readonly #users = new UsersOfWorkers();
  #watch: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  constructor(config: SentConfig, logger: Logger, silentMs: number) {
    this.#config = config;
    this.#logger = logger;
    this.#silentMs = silentMs;
  }

  /** @returns where all of them listen */
  async start(): Promise<string> {
    cluster.setupPrimary(workerSettings());
    try {
      const workers = Array.from({ length: this.#config.WORKERS }, () => this.#fork());
      await Promise.all(workers.map((worker) => this.#prepare(worker)));
      const urls = await Promise.all(workers.map((worker) => this.#serve(worker)));
      this.#watchWorkers();
      return urls[0] ?? '';
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** The supergraph that one of them serves. @throws Error where none says it in time */
  async sdl(signal: AbortSignal): Promise<string> {
    return (await ask(this.#servingWorker(), { kind: 'sdl' }, signal)).sdl;
  }

  /** What was judged of a record that one of them follows. @throws Error where none says it in time */
  async verdict(sequence: number, signal: AbortSignal): Promise<RecordVerdict | undefined> {
    return (await ask(this.#servingWorker(), { kind: 'verdict', sequence }, signal)).found;
  }

  #servingWorker(): Worker {
    const [worker] = [...this.#workers].find(([, state]) => state === 'serving') ?? [];
    if (!worker) throw new Error('No worker serves.');
    return worker;
  }

  close(): Promise<void> {
    clearInterval(this.#watch);
    this.#closing ??= Promise.all(
      [...this.#workers].map(([worker, state]) => closeWorker(worker, state)),
    ).then(() => undefined);
    return this.#closing;
  }

  #fork(): Worker {
    const worker = cluster.fork();
    this.#workers.set(worker, 'starting');
    worker.on('message', (message: FromWorker) => {
      this.#heardAt.set(worker, performance.now());
      if (isRelayed(message)) this.#relay(message, worker);
      else if (message.kind === 'configuration') this.#config = message.config;
      else if (message.kind === 'users wanted') this.#collectUsers(message, worker);
      else if (message.kind === 'users') this.#users.add(message, worker);
    });
    worker.once('exit', () => {
      this.#workers.delete(worker);
      this.#heardAt.delete(worker);
    });
    return worker;
  }

  /** What a worker says of a canary is for all others. */
  #relay(message: RelayedTrial, from: Worker): void {
    for (const worker of this.#othersThan(from)) send(worker, message);
  }

  #othersThan(one: Worker): readonly Worker[] {
    return [...this.#workers].flatMap(([worker, state]) =>
      worker !== one && state === 'serving' ? [worker] : [],
    );
  }

  #collectUsers(wanted: UsersWanted, from: Worker): void {
    const others = this.#othersThan(from);
    const absent = Math.max(0, this.#config.WORKERS - 1 - others.length);
    this.#users.collect(wanted, others, absent, (found) => send(from, found));
  }

  /** A worker whose event loop is blocked holds what it has accepted for as long as that lasts, which may be for ever. */
  #watchWorkers(): void {
    let checkedAt = performance.now();
    this.#watch = setInterval(() => {
      const now = performance.now();
      const wasAsleep = now - checkedAt > 2 * WATCH_EVERY_MS; // then it is this process that did not listen
      checkedAt = now;
      for (const [worker, state] of this.#workers) {
        if (wasAsleep) this.#heardAt.set(worker, now);
        else if (state === 'serving' && now - (this.#heardAt.get(worker) ?? now) > this.#silentMs)
          this.#kill(worker);
      }
    }, WATCH_EVERY_MS);
    this.#watch.unref();
  }

  #kill(worker: Worker): void {
    this.#logger.error({ worker: worker.id }, 'worker unresponsive; killing it');
    worker.process.kill('SIGKILL');
  }

  /** All but its port is open then. */
  async #prepare(worker: Worker): Promise<void> {
    const prepared = hears(worker, 'prepared');
    worker.on('message', ({ kind }: FromWorker) => {
      if (kind === 'waiting') send(worker, { kind: 'start', config: this.#config });
    });
    await prepared;
  }

  /** @returns where it listens */
  async #serve(worker: Worker): Promise<string> {
    const listening = listens(worker);
    this.#workers.set(worker, 'serving'); // from now on it may have something to finish
    send(worker, { kind: 'listen' });
    const url = await listening;
    worker.once('exit', () => this.#replace(worker));
    return url;
  }

  #replace(dead: Worker): void {
    if (this.#closing) return;
    this.#logger.error({ worker: dead.id }, 'worker died; replacing it');
    this.#forkLater();
  }

  #forkLater(): void {
    setTimeout(() => {
      if (this.#closing) return;
      this.#startAnother().catch((error: unknown) => {
        this.#logger.error({ err: error }, 'worker replacement failed; retrying');
        this.#forkLater();
      });
    }, RESTART_PAUSE_MS);
  }

  async #startAnother(): Promise<void> {
    const worker = this.#fork();
    await this.#prepare(worker);
    await this.#serve(worker);
  }
}

/** The port that every worker listens on, those that come later too: each listening to port 0 would get its own. */
async function fixedPort({ PORT, HOST }: GatewayConfig): Promise<number> {
  return PORT === 0 ? freePort(HOST) : PORT;
}

/** From source, a worker needs what runs TypeScript; compiled, nothing. */
function workerSettings(): ClusterSettings {
  const fromSource = import.meta.url.endsWith('.ts');
  const exec = fileURLToPath(new URL(fromSource ? './worker.ts' : './worker.js', import.meta.url));
  const serialization = 'advanced'; // a configuration holds maps and dates
  if (!fromSource) return { exec, execArgv: [...process.execArgv, ...HEAP_FLAGS], serialization };
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  return {
    exec,
    execArgv: [...HEAP_FLAGS, '--conditions=trellis-source', '--import', loader],
    serialization,
  };
}

/** What is in flight gets its time; then the process ends, willing or not. One that does not serve yet ends at once. */
async function closeWorker(worker: Worker, state: 'starting' | 'serving'): Promise<void> {
  if (worker.isDead()) return;
  await new Promise<void>((resolve) => {
    const graceMs = state === 'serving' ? CLOSE_DEADLINE_MS : 0;
    const deadline = setTimeout(() => worker.process.kill('SIGKILL'), graceMs);
    worker.once('exit', () => {
      clearTimeout(deadline);
      resolve();
    });
    send(worker, { kind: 'close' });
  });
}
