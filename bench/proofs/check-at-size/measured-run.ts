import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { repository } from './installed-program.ts';

/** What a program has printed, and what it took. */
export interface Finished {
  readonly output: string;
  readonly wallS: number;
  /** The largest resident sets of the process and those that it started, looked at every 50 ms. */
  readonly peakMb: number;
}

/** In a name space of its own, in which no interface is up; any user may have one where the system allows it. */
const WITHOUT_NETWORK = ['unshare', '--user', '--map-root-user', '--net'];

/** Whether programs run without any network. Linux lets some users have that. */
export const isNetworkOff: boolean =
  process.platform === 'linux' && spawnSync('unshare', [...WITHOUT_NETWORK.slice(1), 'true']).status === 0;

/**
 * Runs Node, from a cold process, for five minutes at most.
 *
 * @param args of Node
 * @throws Error where it can't be started
 */
export function run(args: readonly string[]): Promise<Finished> {
  const startedAt = performance.now();
  const [program = '', ...rest] = [...(isNetworkOff ? WITHOUT_NETWORK : []), process.execPath, ...args];
  const child = spawn(program, rest, { cwd: repository, stdio: ['ignore', 'pipe', 'inherit'] });
  const timer = AbortSignal.timeout(300_000);
  timer.addEventListener('abort', () => child.kill());
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const memory = watchMemory(child.pid ?? 0);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      const wallS = Math.round(performance.now() - startedAt) / 1_000;
      resolve({ output: Buffer.concat(chunks).toString(), wallS, peakMb: memory.end() });
    });
  });
}

/** Linux's own high-water marks of a process and its children, read while they run; elsewhere nothing is measured. */
function watchMemory(pid: number): { readonly end: () => number } {
  const peaksKb = new Map<number, number>();
  const timer = setInterval(() => {
    for (const one of [pid, ...childrenOf(pid)])
      peaksKb.set(one, Math.max(peaksKb.get(one) ?? 0, peakKbOf(one)));
  }, 50);
  return {
    end() {
      clearInterval(timer);
      return Math.round([...peaksKb.values()].reduce((sum, kb) => sum + kb, 0) / 1_024);
    },
  };
}

function childrenOf(pid: number): readonly number[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

function peakKbOf(pid: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0);
}

/** Empty where the process has ended, and where this is no Linux. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
