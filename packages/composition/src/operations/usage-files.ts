import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** What gateways have written into a folder of recorded usage; or lists that were published into one. */
export interface UsageFiles {
  /** Paths, the oldest first. */
  readonly files: readonly string[];
  /** Processes that were killed, each with the interval that it had begun. */
  readonly killed: number;
}

/** A process renews its mark with each file: this many intervals without are an end. */
const MISSED_INTERVALS = 3;
const FILE = /^(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z)\.[\w-]+\.jsonl\.gz$/;
const LIST = /^[^.].*\.operations\.json$/;
const MARK = /^[\w-]+\.open$/;

const markSchema = z.object({ intervalMs: z.number() });

/** Lists a folder. @throws Error of node:fs where it can't be read */
export async function listUsageFiles(directory: string, now: Date = new Date()): Promise<UsageFiles> {
  const names = await readdir(directory);
  const marks = await Promise.all(
    names.filter((name) => MARK.test(name)).map((name) => isLeftBehind(join(directory, name), now)),
  );
  return {
    files: names
      .filter((name) => FILE.test(name) || LIST.test(name))
      .toSorted()
      .map((name) => join(directory, name)),
    killed: marks.filter(Boolean).length,
  };
}

/**
 * Deletes the files of intervals that began before a time, and marks of processes that were killed before it.
 *
 * @returns how many files were deleted
 */
export async function pruneUsageFiles(directory: string, before: Date): Promise<number> {
  const names = await readdir(directory);
  const old = names.filter((name) => {
    const [, began] = FILE.exec(name) ?? [];
    return began !== undefined && timeOf(began) < before;
  });
  const marks = await Promise.all(
    names
      .filter((name) => MARK.test(name))
      .map(async (name) => ((await lastRenewed(join(directory, name))) < before ? [name] : [])),
  );
  for (const name of [...old, ...marks.flat()]) await rm(join(directory, name), { force: true });
  return old.length;
}

/** File names have no colons, as some systems allow none. */
function timeOf(text: string): Date {
  return new Date(text.replace(/T(\d\d)-(\d\d)-(\d\d)/, 'T$1:$2:$3'));
}

async function isLeftBehind(mark: string, now: Date): Promise<boolean> {
  try {
    const { intervalMs } = markSchema.parse(JSON.parse(await readFile(mark, 'utf8')));
    return now.getTime() - (await lastRenewed(mark)).getTime() > MISSED_INTERVALS * intervalMs;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'; // its process has just ended in order
  }
}

async function lastRenewed(mark: string): Promise<Date> {
  return stat(mark).then(
    ({ mtime }) => mtime,
    () => new Date(),
  );
}
