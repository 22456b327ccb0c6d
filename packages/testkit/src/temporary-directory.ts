import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDirectory, ownerOfDirectory } from '@trellis/dev-stores';

/** A directory of its own that is deleted after the test. */
export interface TemporaryDirectory {
  readonly path: string;
  /** Deletes it with all that is in it. Safe to call twice. */
  remove(): void;
}

const PREFIX = 'trellis-test-';
/** A process that is about to end may still write while its files are deleted. */
const REMOVAL = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 } as const;
/** A directory this young may belong to someone who has not signed it yet. */
const UNSIGNED_MS = 60_000;

/** Makes a directory below the system's temporary one, which belongs to this process. */
export function createTemporaryDirectory(): TemporaryDirectory {
  const path = mkdtempSync(join(tmpdir(), PREFIX));
  chmodSync(path, 0o711); // the account that PostgreSQL runs as, when we are root, may pass through
  lockDirectory(path);
  return { path, remove: () => remove(path) };
}

/** Deletes the directories of test runs that were killed. */
export function removeAbandonedDirectories(): void {
  for (const name of readdirSync(tmpdir())) {
    const path = join(tmpdir(), name);
    if (name.startsWith(PREFIX) && isAbandoned(path)) remove(path);
  }
}

/** What can't be deleted now is deleted by a later run: it must not hide what a test has to say. */
function remove(path: string): void {
  try {
    rmSync(path, REMOVAL);
  } catch (error) {
    process.stderr.write(`${path} is left for later: ${String(error)}\n`);
  }
}

function isAbandoned(path: string): boolean {
  const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return (
    changedAt !== undefined && Date.now() - changedAt > UNSIGNED_MS && ownerOfDirectory(path) === undefined
  );
}
