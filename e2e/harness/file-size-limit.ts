import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';

/** Whether this machine can limit the files of a process that runs. */
export function canLimitFiles(): boolean {
  return spawnSync('prlimit', ['--version']).status === 0;
}

/**
 * Lets a process write no file larger than this: to it, the disk is full. It is done as the owner of the process, which needs no
 * rights beyond its own; root in a container may lack those.
 *
 * @param bytes a number, or `unlimited`
 */
export function limitFilesOf(pid: string, bytes: string): void {
  const { uid, gid } = statSync(`/proc/${pid}`, { throwIfNoEntry: false }) ?? {};
  if (uid === undefined || gid === undefined) return; // it has ended
  spawnSync('prlimit', ['--pid', pid, `--fsize=${bytes}:`], { uid, gid });
}
