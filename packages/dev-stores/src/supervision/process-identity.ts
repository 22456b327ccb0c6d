import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * When a process started, in the words of the operating system: with the process id it names one process for good,
 * where the id alone is given again.
 *
 * @returns undefined when there is no such process, or it is a zombie
 */
export function startTimeOf(pid: number, platform: NodeJS.Platform = process.platform): string | undefined {
  switch (platform) {
    case 'linux':
      return startTimeFromProc(pid);
    case 'win32':
      return isAlive(pid) ? 'unknown' : undefined;
    default:
      return startTimeFromPs(pid);
  }
}

/** Windows has no ps: there the id alone has to do, so that one that was given again counts as the process before. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // another user's; node:process throws nothing else
  }
}

/** proc(5): the fields behind the last `)` begin with the state; start time is field 22 of all. */
function startTimeFromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function startTimeFromPs(pid: number): string | undefined {
  const { stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const [state = '', ...start] = stdout.trim().split(/\s+/);
  return state === '' || state.startsWith('Z') ? undefined : start.join(' ');
}
