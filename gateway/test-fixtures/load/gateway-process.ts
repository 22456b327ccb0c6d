import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createTemporaryDirectory, freePort, programArguments } from '@trellis/testkit';
import { request } from 'undici';
import { compose } from '../../src/testing/compose.ts';

/** A gateway in a process of its own. */
export interface GatewayProcess {
  /** Without a path. */
  readonly url: string;
  readonly process: ChildProcess;
  /** Kills it if it still runs, and removes its files. */
  remove(): void;
}

/** Settings of {@link startGatewayProcess}. */
export interface GatewayProcessOptions {
  readonly subgraphs: Parameters<typeof compose>[0];
  readonly environment?: Readonly<Record<string, string>>;
  /** Arguments of Node. */
  readonly nodeArguments?: readonly string[];
  /** A program that starts the gateway: `['prlimit', '--nofile=256']`. */
  readonly startedBy?: readonly string[];
}

const START_WITHIN_MS = 180_000;

/** Starts a gateway over the subgraphs, without guards. @returns when it is ready */
export async function startGatewayProcess(options: GatewayProcessOptions): Promise<GatewayProcess> {
  const directory = createTemporaryDirectory();
  const file = join(directory.path, 'supergraph.graphql');
  writeFileSync(file, compose(options.subgraphs));
  const port = await freePort();
  const child = spawnGateway(options, { SUPERGRAPH: file, PORT: String(port) });
  const remove = (): void => {
    child.kill('SIGKILL');
    directory.remove();
  };
  const url = `http://127.0.0.1:${port}`;
  try {
    await untilReady(url, child);
  } catch (error) {
    remove();
    throw error;
  }
  return { url, process: child, remove };
}

function spawnGateway(
  { environment, nodeArguments = [], startedBy = [] }: GatewayProcessOptions,
  ownEnvironment: Readonly<Record<string, string>>,
): ChildProcess {
  const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
  const node = [process.execPath, ...nodeArguments, ...programArguments(main)];
  const [program = process.execPath, ...args] = [...startedBy, ...node];
  const settings = { OPERATIONS_PORT: '0', LOG_LEVEL: 'fatal', GUARDS: 'off', ...ownEnvironment };
  return spawn(program, args, {
    // oxlint-disable-next-line node/no-process-env -- a process needs PATH and the like
    env: { ...process.env, ...settings, ...environment },
    stdio: 'ignore',
  });
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_WITHIN_MS;
  for (;;) {
    const response = await request(`${url}/health/ready`).catch(() => undefined);
    await response?.body.dump();
    if (response?.statusCode === 200) return;
    if (child.exitCode !== null) throw new Error(`The gateway has ended with ${child.exitCode}.`);
    if (Date.now() > deadline) throw new Error('The gateway did not become ready.');
    await sleep(100);
  }
}
