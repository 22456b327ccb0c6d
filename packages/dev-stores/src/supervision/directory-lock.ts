import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTimeOf } from './process-identity.ts';

/** A directory that this process holds alone. */
export interface DirectoryLock {
  /** Gives the directory free. Safe to call twice. */
  release(): void;
}

/** The directory belongs to another process that is still running. */
export class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse';
  readonly directory: string;
  /** The process that holds it. */
  readonly pid: number;

  constructor(directory: string, pid: number) {
    super(`${directory} is in use by process ${pid}.`);
    this.directory = directory;
    this.pid = pid;
  }
}

interface Owner {
  readonly pid: number;
  readonly startTime: string;
}

const LOCK_FILE = 'owner.lock';

/**
 * Takes a directory for this process, until {@link DirectoryLock.release} or the end of the process, a kill -9
 * included: a lock whose owner is gone is acquired. Creates the directory when it is absent.
 *
 * @throws DirectoryInUse when another running process, or another part of this one, holds it
 */
export function lockDirectory(directory: string): DirectoryLock {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, LOCK_FILE);
  const mine = JSON.stringify({ pid: process.pid, startTime: startTimeOf(process.pid) ?? '' });
  while (!createExclusively(file, mine)) removeIfStale(directory, file);
  let held = true;
  return {
    release: () => {
      if (held) rmSync(file, { force: true });
      held = false;
    },
  };
}

/** @returns the process that holds the directory; undefined when none does */
export function ownerOfDirectory(directory: string): number | undefined {
  const owner = readOwner(join(directory, LOCK_FILE));
  return owner && isRunning(owner) ? owner.pid : undefined;
}

/** A link appears with its content, where an exclusive creation would show an empty file for a moment. */
function createExclusively(file: string, content: string): boolean {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, content, { mode: 0o600 });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Moves the stale lock aside and looks at it again: between look and move another process may have acquired it. */
function removeIfStale(directory: string, file: string): void {
  const owner = readOwner(file);
  if (owner && isRunning(owner)) throw new DirectoryInUse(directory, owner.pid);
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
  } catch {
    return; // removed by its owner or by another contender
  }
  const moved = readOwner(aside);
  if (moved && isRunning(moved)) linkSync(aside, file);
  rmSync(aside, { force: true });
}

function readOwner(file: string): Owner | undefined {
  try {
    const { pid, startTime } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Owner>;
    return typeof pid === 'number' && typeof startTime === 'string' ? { pid, startTime } : undefined;
  } catch {
    return undefined;
  }
}

function isRunning(owner: Owner): boolean {
  return startTimeOf(owner.pid) === owner.startTime;
}
