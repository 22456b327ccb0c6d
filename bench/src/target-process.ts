import { spawn, type ChildProcess } from 'node:child_process';
import { freePort } from '@trellis/dev-stores';
import { askOnce } from './load.ts';
import { single, type Operation } from './operations.ts';
import { processorTimeMs, residentBytes } from './processor-time.ts';
import type { MeasuredGraph, Target } from './targets/target.ts';

/** A gateway that runs. */
export interface TargetProcess {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  processorTimeMs(): number;
  residentBytes(): number;
  stop(): Promise<void>;
}

const START_DEADLINE_MS = 150_000;

/**
 * Starts a target and waits until it answers a small query. Rejects with its output when it does not in 150 s.
 *
 * @param probe one that the graph answers
 */
export async function startTarget(
  target: Target,
  graph: MeasuredGraph,
  probe: Operation = single,
): Promise<TargetProcess> {
  const port = await freePort();
  const [program, ...args] = target.command(graph, port);
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const output = collectOutput(child);
  const url = `http://127.0.0.1:${port}${target.path}`;
  const pid = child.pid ?? 0;
  try {
    await untilResponding(child, url, probe);
  } catch {
    await stop(child);
    throw new Error(`${target.name} did not start:\n${output().slice(-2_000)}`);
  }
  return {
    name: target.name,
    url,
    pid,
    processorTimeMs: () => processorTimeMs(pid),
    residentBytes: () => residentBytes(pid),
    stop: () => stop(child),
  };
}

async function untilResponding(child: ChildProcess, url: string, probe: Operation): Promise<void> {
  const deadline = Date.now() + START_DEADLINE_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    const response = await askOnce(url, probe).catch(() => '');
    if (response.includes('"data"')) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('no response');
}

function collectOutput(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => (text = (text + chunk.toString()).slice(-10_000)));
  }
  return () => text;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await ended;
  clearTimeout(kill);
}
