import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A process that belongs to a run of the product. */
export interface CountedProcess {
  readonly pid: number;
  readonly parentPid: number;
  readonly command: string;
  /** Resident memory, bytes. */
  readonly residentBytes: number;
}

/** By what a run's processes are known. */
export interface RunMark {
  /** Value of {@link MARK_VARIABLE} in the environment that the run was given. */
  readonly id: string;
  /** The run's data directory: database servers work in it, and do not inherit the environment. */
  readonly directory?: string;
}

/** The environment variable that marks a run's processes, so that orphans are found too. */
export const MARK_VARIABLE = 'E2E_RUN';

/** All living processes of a run: its children, and what has lost its parent. */
export function countProcesses(mark: RunMark): readonly CountedProcess[] {
  const pids = process.platform === 'linux' ? pidsFromProc(mark) : pidsFromPs(mark);
  return pids.flatMap((pid) => describeProcess(pid) ?? []);
}

function pidsFromProc(mark: RunMark): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => belongsTo(pid, mark))
    .map(Number);
}

function belongsTo(pid: string, mark: RunMark): boolean {
  if (read(`/proc/${pid}/environ`).includes(`${MARK_VARIABLE}=${mark.id}\0`)) return true;
  if (mark.directory === undefined) return false;
  return (
    workingDirectory(pid).startsWith(mark.directory) || read(`/proc/${pid}/cmdline`).includes(mark.directory)
  );
}

/** Elsewhere than on Linux only the arguments show it. */
function pidsFromPs(mark: RunMark): readonly number[] {
  const { stdout } = spawnSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8' });
  return stdout
    .split('\n')
    .filter((line) => mark.directory !== undefined && line.includes(mark.directory))
    .map((line) => Number.parseInt(line, 10));
}

/** @returns undefined when it is gone, or a zombie that only waits to be read */
function describeProcess(pid: number): CountedProcess | undefined {
  const { stdout } = spawnSync('ps', ['-o', 'stat=,ppid=,rss=,args=', '-p', String(pid)], {
    encoding: 'utf8',
  });
  const fields = /^\s*(\S+)\s+(\d+)\s+(\d+)\s+(.*)$/m.exec(stdout);
  if (!fields || fields[1]?.startsWith('Z')) return undefined;
  return {
    pid,
    parentPid: Number(fields[2]),
    residentBytes: Number(fields[3]) * 1024,
    command: fields[4] ?? '',
  };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return ''; // gone, or not ours to read
  }
}

function workingDirectory(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}
