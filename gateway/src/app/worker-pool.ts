import cluster, { type ClusterSettings, type Worker } from 'node:cluster';
import { on } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { freePort } from '@trellis/runtime/free-port';
import { StartupError, type Logger, type Resources } from '@trellis/runtime';
import { AggregatorRegistry } from 'prom-client';
import type { GatewayConfig, SentConfig } from '../config/config.ts';
import { isRelayed, type RelayedTrial } from '../variants/trial-exchange.ts';
import type { RecordVerdict } from '../registry/record-verdicts.ts';
import { HEAP_FLAGS } from './heap-flags.ts';
import type { ServingGateway } from './start-gateway.ts';
import type { UsersFound, UsersQuestion, UsersReply, UsersWanted } from '../usage/users-exchange.ts';
import { UsersOfWorkers } from './users-of-workers.ts';

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
  const sent = { ...config, safelists: undefined, PORT: await fixedPort(config) };
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
  readonly #config: SentConfig;
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
      await Promise.all(workers.map((worker) => isPrepared(worker, this.#config)));
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
    await isPrepared(worker, this.#config);
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
  if (!fromSource) return { exec, execArgv: [...process.execArgv, ...HEAP_FLAGS] };
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  return { exec, execArgv: [...HEAP_FLAGS, '--conditions=trellis-source', '--import', loader] };
}

/** All but its port is open. */
async function isPrepared(worker: Worker, config: SentConfig): Promise<void> {
  const prepared = hears(worker, 'prepared');
  worker.on('message', ({ kind }: FromWorker) => {
    if (kind === 'waiting') send(worker, { kind: 'start', config });
  });
  await prepared;
}

/** @returns where it listens */
async function listens(worker: Worker): Promise<string> {
  return (await hears(worker, 'ready')).url;
}

type Heard<Kind extends FromWorker['kind']> = Extract<FromWorker, { readonly kind: Kind }>;

/** Rejects when the worker fails or ends before it says so. */
function hears<Kind extends FromWorker['kind']>(worker: Worker, kind: Kind): Promise<Heard<Kind>> {
  return new Promise((resolve, reject) => {
    worker.once('exit', (code, signal) =>
      reject(new Error(`Worker ${worker.id} has ended (${signal ?? `status ${code}`}) before it was ready.`)),
    );
    worker.on('message', (message: FromWorker) => {
      if (message.kind === kind)
        resolve(message as Heard<Kind>); // by its kind
      else if (message.kind === 'failed') reject(new StartupError(message.message));
    });
  });
}

type Asked = Extract<ToWorker, { readonly kind: 'sdl' | 'verdict' }>;

/** What a worker says of what it is asked for. */
async function ask<Question extends Asked>(
  worker: Worker,
  question: Question,
  signal: AbortSignal,
): Promise<Heard<Question['kind']>> {
  const messages = on(worker, 'message', { signal, close: ['exit'] }) as AsyncIterable<[FromWorker]>;
  send(worker, question);
  for await (const [message] of messages)
    if (isReplyTo(question, message)) return message as Heard<Question['kind']>; // by its kind
  throw new Error('The worker has ended.');
}

/** One that was asked for before, and came too late, is another's. */
function isReplyTo(question: Asked, message: FromWorker): boolean {
  if (question.kind === 'sdl') return message.kind === 'sdl';
  return message.kind === 'verdict' && message.sequence === question.sequence;
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

function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}

/** Messages of the primary process to a worker. */
export type ToWorker =
  | RelayedTrial
  | UsersQuestion
  | UsersFound
  | { readonly kind: 'start'; readonly config: SentConfig }
  | { readonly kind: 'listen' }
  | { readonly kind: 'sdl' }
  | { readonly kind: 'verdict'; readonly sequence: number }
  | { readonly kind: 'close' };

/**
 * Messages of a worker to the primary process: `waiting` when it listens to messages, as earlier ones may be lost;
 * `prepared` when all but the port is open; `alive` every second from the start.
 */
export type FromWorker =
  | RelayedTrial
  | UsersWanted
  | UsersReply
  | { readonly kind: 'waiting' }
  | { readonly kind: 'alive' }
  | { readonly kind: 'prepared' }
  | { readonly kind: 'ready'; readonly url: string }
  | { readonly kind: 'sdl'; readonly sdl: string }
  | { readonly kind: 'verdict'; readonly sequence: number; readonly found: RecordVerdict | undefined }
  | { readonly kind: 'failed'; readonly message: string };
