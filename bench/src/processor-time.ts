import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Processor time that a process and all its descendants have used, in milliseconds. Linux only: it reads /proc. */
export function processorTimeMs(pid: number): number {
  return [pid, ...descendants(pid)].reduce((sum, one) => sum + ownTimeMs(one), 0);
}

/** Resident memory of a process and all its descendants, in bytes. */
export function residentBytes(pid: number): number {
  return [pid, ...descendants(pid)].reduce(
    (sum, one) => sum + Number(statusField(one, 'VmRSS') ?? 0) * 1_024,
    0,
  );
}

function descendants(pid: number): number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => Number(statusField(candidate, 'PPid')) === pid);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

function ownTimeMs(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
  } catch {
    return 0; // the process has just ended
  }
}

function statusField(pid: number, field: string): string | undefined {
  try {
    return new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
