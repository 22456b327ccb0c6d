import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { programArguments } from '@trellis/testkit';
import { HEAP_FLAGS } from '../src/app/heap-flags.ts';

/** A gateway in a process of its own, so that what measures it does not share its processor time and memory. */
export interface GatewayProcess {
  /** Without a path. */
  readonly url: string;
  /** Of its operations port, without a path. */
  readonly operationsUrl: string;
  /** Bytes that are resident now. Linux only: it reads /proc. */
  residentBytes(): number;
  /** Milliseconds of processor time of its threads since the start. Linux only. */
  processorTimeMs(): number;
  /** Whether it has ended by itself. */
  hasEnded(): boolean;
  /** @returns when it is gone */
  stop(): Promise<void>;
}

/** What is run: as programs of tests are, from source through a compiler, which takes memory of its own; or what is shipped. */
export type GatewayProgram = 'source' | 'compiled';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const START_DEADLINE_MS = 60_000;

/**
 * Starts it on free ports.
 *
 * @param environment as docs/configuration.md has it
 * @param program compiled here when it is to be run compiled
 */
export async function startGatewayProcess(
  environment: Readonly<Record<string, string>>,
  program: GatewayProgram = 'source',
): Promise<GatewayProcess> {
  const child = spawn(process.execPath, [...HEAP_FLAGS, ...argumentsOf(program)], {
    cwd: PACKAGE,
    env: { PORT: '0', OPERATIONS_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { url, operationsUrl } = await untilReady(child).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  const proc = (file: string): string => readFileSync(`/proc/${child.pid}/${file}`, 'utf8');
  return {
    url,
    operationsUrl,
    residentBytes: () => Number(/^VmRSS:\s+(\d+)/m.exec(proc('status'))?.[1] ?? 0) * 1_024,
    processorTimeMs: () =>
      readdirSync(`/proc/${child.pid}/task`)
        .map((thread) => Number(proc(`task/${thread}/schedstat`).split(' ')[0]) / 1e6)
        .reduce((sum, timeMs) => sum + timeMs, 0),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

function argumentsOf(program: GatewayProgram): readonly string[] {
  if (program === 'source') return programArguments(join(PACKAGE, 'src/main.ts'));
  const { status, stdout } = spawnSync('npx', ['tsc', '-b'], { cwd: PACKAGE, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The gateway does not compile.\n${stdout}`);
  return ['dist/main.js'];
}

/** Reads on afterwards, so that the log does not fill the pipe. */
function untilReady(child: ChildProcess): Promise<Pick<GatewayProcess, 'url' | 'operationsUrl'>> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The gateway did not start: ${code}.`)));
    setTimeout(() => reject(new Error('The gateway did not become ready.')), START_DEADLINE_MS).unref();
    if (!child.stdout) throw new Error('The log of the gateway is not read.');
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { msg, url, operationsUrl } = JSON.parse(line) as {
        readonly [name in 'msg' | 'url' | 'operationsUrl']?: string;
      };
      if (msg === 'ready' && url !== undefined && operationsUrl !== undefined)
        resolve({ url, operationsUrl });
    });
  });
}
