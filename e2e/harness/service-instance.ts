import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startGuarded, type GuardedProcess } from '@trellis/dev-stores';
import { programArguments } from '@trellis/testkit';
import { eventually } from './deadline.ts';
import { inheritedEnvironment, root } from './running-program.ts';

/** Where a subgraph's program is, and its settings. */
export interface ServiceInstanceOptions {
  /** For example `posts-0`: for messages and for the name of its log. */
  readonly name: string;
  /** The folder of the deployable, from the root of the repository. */
  readonly directory: string;
  readonly port: number;
  readonly operationsPort: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Takes its log. */
  readonly logDirectory: string;
}

/** One process of a service that can be killed and started again at the same address. */
export interface ServiceInstance {
  readonly name: string;
  readonly url: string;
  /** Serves `GET /metrics`. */
  readonly operations: string;
  /** Resolves when it is ready. */
  start(): Promise<void>;
  /** Kills it with its guard, as `kill -9` does. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Ends it in order. */
  stop(): Promise<void>;
}

const READY_DEADLINE_MS = 60_000;

/** A process of its own, which ends with this one. It does not run yet. */
export function createServiceInstance(options: ServiceInstanceOptions): ServiceInstance {
  const { name, port, operationsPort, logDirectory } = options;
  const url = `http://127.0.0.1:${port}`;
  const log = join(logDirectory, `${name}.log`);
  let running: GuardedProcess | undefined;
  return {
    name,
    url,
    operations: `http://127.0.0.1:${operationsPort}`,
    start: async () => {
      running = await launch(options, log);
      await eventually(() => fetchReady(url), Boolean, READY_DEADLINE_MS).catch((error: unknown) => {
        throw new Error(`${name} did not become ready:\n${lastWords(log)}`, { cause: error });
      });
    },
    kill: async () => {
      if (!running) return;
      process.kill(-running.guardPid, 'SIGKILL'); // the guard leads a group of its own
      await running.exited;
    },
    stop: async () => running?.stop(),
  };
}

async function launch(
  { directory, port, operationsPort, environment }: ServiceInstanceOptions,
  log: string,
): Promise<GuardedProcess> {
  const output = openSync(log, 'a');
  try {
    return await startGuarded({
      command: process.execPath,
      args: programArguments(join(root, directory, 'src/main.ts')),
      cwd: root,
      environment: {
        ...inheritedEnvironment(),
        PORT: String(port),
        OPERATIONS_PORT: String(operationsPort),
        ...environment,
      },
      stopSignal: 'SIGTERM',
      forceSignal: 'SIGKILL',
      output,
    });
  } finally {
    closeSync(output);
  }
}

async function fetchReady(url: string): Promise<boolean> {
  return (await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(2_500) })).ok;
}

function lastWords(log: string): string {
  return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-10).join('\n');
}
