import { encodeText } from './bytes.ts';
import { Keyspace } from './keyspace/keyspace.ts';
import { ScriptEngine } from './scripting/script-engine.ts';
import { BlockedClients } from './clients/blocked-clients.ts';
import { runScripted } from './server/execute-command.ts';
import type { Instance, ServerLimits } from './instance.ts';
import { createPassword } from './clients/password.ts';
import { Subscriptions } from './clients/subscriptions.ts';
import { listen } from './server/tcp-server.ts';
import { loadSnapshot } from './snapshot/snapshot-file.ts';
import { keepSnapshot, type SnapshotKeeper } from './snapshot/snapshot-keeper.ts';

/** Settings of {@link startMemoryRedis}. */
export interface MemoryRedisOptions {
  /** @default 0, any free one */
  readonly port?: number;
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** Password that clients must send. @default none */
  readonly password?: string;
  /** Keeps the keys from one start to the next. Its directory exists. @default none: they are gone at the end */
  readonly snapshotFile?: string;
  /** The shortest pause between two snapshots, in milliseconds. @default 2_000 */
  readonly snapshotIntervalMs?: number;
  /** Connections at a time. @default 1_000 */
  readonly maxClients?: number;
  /** Bytes of one argument or value. @default 64 MiB */
  readonly maxBulkBytes?: number;
  /** How long a script may run, in milliseconds. @default 5_000 */
  readonly scriptTimeLimitMs?: number;
  /** Called with a description when a snapshot can't be read or written, or the server has a fault. @default a warning of the process */
  readonly onProblem?: (message: string) => void;
}

/** A running server. */
export interface MemoryRedis {
  /** `redis://…`, with its password. */
  readonly url: string;
  readonly port: number;
  /** Cuts all connections, saves the last changes, and frees the port. Safe to call twice. */
  close(): Promise<void>;
}

const SWEEP_INTERVAL_MS = 100;
const KEYS_PER_SWEEP = 1_000;
const MEBIBYTE = 1_048_576;

/**
 * Starts a Redis in this process: RESP over TCP, the commands that the platform uses, scripts of Lua. For development
 * and tests; everything runs on this thread, and the data has to fit in its memory.
 *
 * @throws Error of the system when the port is taken or the snapshot can't be read
 * @example
 * const server = await startMemoryRedis({ snapshotFile: '.data/redis.snapshot' });
 * const redis = new Redis(server.url);
 */
export async function startMemoryRedis(options: MemoryRedisOptions = {}): Promise<MemoryRedis> {
  const { host = '127.0.0.1', port = 0, password, snapshotFile, onProblem = warn } = options;
  let keeper: SnapshotKeeper | undefined;
  const instance = createInstance(options, () => keeper?.noteChange(), onProblem);
  if (snapshotFile !== undefined) await loadSnapshot(snapshotFile, instance.keyspace, onProblem);
  const server = await listen(instance, port, host, (error) => onProblem(describeFault(error)));
  if (snapshotFile !== undefined) keeper = startKeeper(options, snapshotFile, instance, onProblem);
  const sweeping = setInterval(() => sweep(instance), SWEEP_INTERVAL_MS).unref();
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    clearInterval(sweeping);
    await server.close();
    await keeper?.close();
  };
  return {
    url: urlOf(host, server.port, password),
    port: server.port,
    close: () => (closing ??= close()),
  };
}

function createInstance(
  options: MemoryRedisOptions,
  noteChange: () => void,
  onProblem: (message: string) => void,
): Instance {
  const clock = (): number => performance.timeOrigin + performance.now();
  const blocked = new BlockedClients();
  const reportFailure = (error: unknown): void => onProblem(describeFault(error));
  const onChange = (key: string): void => {
    blocked.noteChange(key);
    noteChange();
  };
  const instance: Instance = {
    keyspace: new Keyspace(onChange, Math.floor(clock())),
    subscriptions: new Subscriptions(),
    blocked,
    scripts: createScripts(options, reportFailure, () => instance),
    clients: new Map(),
    password: options.password === undefined ? undefined : createPassword(encodeText(options.password)),
    limits: limitsOf(options),
    startedAt: Math.floor(clock()),
    clock,
    totals: { connections: 0, rejectedConnections: 0, commands: 0 },
    port: 0,
  };
  return instance;
}

function createScripts(
  { scriptTimeLimitMs }: MemoryRedisOptions,
  reportFailure: (error: unknown) => void,
  instance: () => Instance,
): ScriptEngine {
  return new ScriptEngine({
    runCommand: (client, request) => runScripted(instance(), client, request),
    reportFailure,
    ...(scriptTimeLimitMs !== undefined && { timeLimitMs: scriptTimeLimitMs }),
  });
}

function limitsOf({ maxClients = 1_000, maxBulkBytes = 64 * MEBIBYTE }: MemoryRedisOptions): ServerLimits {
  return {
    maxClients,
    maxArguments: 1_048_576,
    maxBulkBytes,
    maxRequestBytes: 4 * maxBulkBytes,
    complaint: 'invalid',
    maxQueuedReplyBytes: 16 * MEBIBYTE,
    maxQueuedMessageBytes: 32 * MEBIBYTE,
  };
}

function startKeeper(
  { snapshotIntervalMs = 2_000 }: MemoryRedisOptions,
  file: string,
  { keyspace, clock }: Instance,
  reportProblem: (message: string) => void,
): SnapshotKeeper {
  return keepSnapshot({ file, keyspace, clock, intervalMs: snapshotIntervalMs, reportProblem });
}

function sweep({ keyspace, clock }: Instance): void {
  keyspace.now = Math.floor(clock());
  keyspace.sweep(KEYS_PER_SWEEP);
}

function urlOf(host: string, port: number, password: string | undefined): string {
  const credentials = password === undefined ? '' : `:${encodeURIComponent(password)}@`;
  return `redis://${credentials}${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function describeFault(error: unknown): string {
  return `A fault of the in-memory Redis: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

function warn(message: string): void {
  process.emitWarning(message, 'MemoryRedisWarning');
}
