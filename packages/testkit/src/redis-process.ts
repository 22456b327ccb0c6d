import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Starts a `redis-server` process by a file of settings, in a folder of its own.
 *
 * @param directory takes the folder
 * @param lines of `redis.conf`
 */
export function startRedisServer(
  directory: string,
  name: string,
  lines: readonly string[],
  flags: readonly string[] = [],
): ChildProcess {
  const folder = join(directory, name);
  mkdirSync(folder);
  const file = join(folder, 'redis.conf');
  writeFileSync(file, [...lines, `dir ${folder}`, ''].join('\n')); // a Sentinel writes what it learns there
  return spawn('redis-server', [file, ...flags], { stdio: 'ignore' });
}

/** Ends it at once, as kill -9 does. */
export async function endRedisServer(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const ended = once(process, 'exit');
  process.kill('SIGKILL');
  await ended;
}
