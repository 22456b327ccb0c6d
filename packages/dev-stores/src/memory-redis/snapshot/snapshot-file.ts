import { open, readFile, rename, rm } from 'node:fs/promises';
import type { Keyspace } from '../keyspace/keyspace.ts';
import { formatSnapshot, parseSnapshot, type SavedKey } from './snapshot-format.ts';

/** Called with a description of a snapshot failure; the server goes on. */
export type ReportProblem = (message: string) => void;

/**
 * Fills a keyspace from a file; what has expired since is left out. A missing file is no problem. One that is
 * broken is set aside, so that nothing overwrites it, and reported.
 *
 * @throws Error of the system when the file exists and can't be read or renamed
 */
export async function loadSnapshot(
  file: string,
  keyspace: Keyspace,
  reportProblem: ReportProblem,
): Promise<void> {
  const text = await readIfPresent(file);
  if (text === undefined) return;
  try {
    for (const saved of parseSnapshot(text)) restore(keyspace, saved);
  } catch (error) {
    const aside = `${file}.broken-${keyspace.now}`;
    await rename(file, aside);
    const reason = error instanceof Error ? error.message : String(error);
    reportProblem(
      `The snapshot ${file} can't be read: ${reason}. It was renamed to ${aside}; the server starts empty.`,
    );
  }
}

/** Writes a snapshot beside the file and puts it in its place: readers find a whole one. */
export async function saveSnapshot(file: string, text: string): Promise<void> {
  const unfinished = `${file}.unfinished`;
  await rm(unfinished, { force: true }); // its mode would be stored
  const handle = await open(unfinished, 'wx', 0o600);
  try {
    await handle.writeFile(text, 'utf8');
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(unfinished, file);
}

/** The text of a snapshot of the keys as they are now. */
export function takeSnapshot(keyspace: Keyspace): string {
  return formatSnapshot(savedKeys(keyspace));
}

function* savedKeys(keyspace: Keyspace): Generator<SavedKey> {
  for (const [key, { value, expiresAt }] of keyspace.entries()) yield { key, value, expiresAt };
}

function restore(keyspace: Keyspace, { key, value, expiresAt }: SavedKey): void {
  if (expiresAt === undefined || expiresAt > keyspace.now) keyspace.put(key, value, expiresAt);
}

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
