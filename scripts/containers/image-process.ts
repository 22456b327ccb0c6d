import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { environmentOf, type Stage } from './dockerfile.ts';

/** A process that runs as a container of the image would run it. */
export interface ImageProcess {
  /** Runs the image's HEALTHCHECK. @returns its status; 0 is healthy */
  checkHealth(): Promise<number | null>;
  /** Runs the image's program with arguments beside it, as `docker compose exec` would. @returns its status */
  run(args: readonly string[]): Promise<number | null>;
  /** Ends it by SIGTERM. @returns its status */
  stop(): Promise<number | null>;
}

const READY_DEADLINE_MS = 30_000;
const STOP_DEADLINE_MS = 30_000;

/**
 * Starts what the last stage's CMD names, in the folder that holds what it copies, and waits until it is ready.
 *
 * @param environment beside the ENV of the stage
 * @throws Error with what it printed, when it does not become ready in time
 */
export async function startImage(
  final: Stage,
  folder: string,
  port: number,
  environment: Readonly<Record<string, string>>,
): Promise<ImageProcess> {
  const [, ...args] = listOf(final, 'CMD'); // `node` is the one that runs this
  const local = { HOST: '127.0.0.1', PORT: String(port), OPERATIONS_PORT: '0' };
  const env = { ...environmentOf(final), ...environment, ...local };
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  if (!(await becomesReady(child, port))) {
    child.kill('SIGKILL');
    throw new Error(`It did not become ready:\n${Buffer.concat(output).toString()}`);
  }
  return {
    checkHealth: () => checkHealth(final, port),
    run: (more) =>
      statusOf(spawn(process.execPath, [...args, ...more], { cwd: folder, env, stdio: 'ignore' })),
    stop: () => stop(child),
  };
}

async function becomesReady(child: ChildProcess, port: number): Promise<boolean> {
  const deadline = Date.now() + READY_DEADLINE_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    const response = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
    if (response?.ok) return true;
    await delay(50);
  }
  return false;
}

async function checkHealth(final: Stage, port: number): Promise<number | null> {
  const [command = '', ...args] = listOf(final, 'HEALTHCHECK');
  return statusOf(spawn(command, args, { env: { PATH: process.env['PATH'], PORT: String(port) } }));
}

async function statusOf(child: ChildProcess): Promise<number | null> {
  const [status] = (await once(child, 'exit')) as [number | null];
  return status;
}

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  const insist = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
  child.kill('SIGTERM');
  const status = await statusOf(child);
  clearTimeout(insist);
  return status;
}

/** The words of an instruction in its JSON form. */
function listOf({ instructions }: Stage, keyword: string): readonly string[] {
  const argument = instructions.find((instruction) => instruction.keyword === keyword)?.argument ?? '[]';
  return JSON.parse(argument.slice(argument.indexOf('['))) as string[];
}
