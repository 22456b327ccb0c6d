import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
/** After which a contender that has the right to remove a lock, and does not, is taken for the owner: it may have been stopped. */
const REMOVAL_TIMEOUT_MS = 5_000;

/**
 * Takes a directory for this process, until {@link DirectoryLock.release} or the end of the process, a kill -9
 * included: a lock whose owner is gone is acquired. Creates the directory when it is absent.
 *
 * @throws DirectoryInUse when another running process, or another part of this one, holds it
 */
export function lockDirectory(directory: string): DirectoryLock {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return lockFile(join(directory, LOCK_FILE), (pid) => {
    throw new DirectoryInUse(directory, pid);
  });
}

/** @param inUse is called with the process that holds the lock; when it returns, the lock is tried again */
function lockFile(file: string, inUse: (pid: number) => void): DirectoryLock {
  const mine = JSON.stringify({ pid: process.pid, startTime: startTimeOf(process.pid) ?? '' });
  while (!createExclusively(file, mine)) {
    const holder = holderOf(file);
    if (holder === 'stale') removeIfStale(file);
    else if (holder !== 'none') inUse(holder);
  }
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
  const holder = holderOf(join(directory, LOCK_FILE));
  return typeof holder === 'number' ? holder : undefined;
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

/**
 * The right to remove a lock of another is a lock itself: its holder reads the lock again, so that the one that another contender has
 * acquired meanwhile stays.
 */
function removeIfStale(file: string): void {
  const deadlineMs = Date.now() + REMOVAL_TIMEOUT_MS;
  const right = lockFile(`${file}.removal`, (pid) => {
    if (Date.now() > deadlineMs) throw new DirectoryInUse(dirname(file), pid);
    pause();
  });
  try {
    if (holderOf(file) === 'stale') rmSync(file, { force: true });
  } finally {
    right.release();
  }
}

/** Blocks the thread, for what takes another process less than a millisecond. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
}

/** The process that holds a lock; `stale` when it is gone, `none` when there is no lock, which another may acquire a moment later. */
function holderOf(file: string): number | 'stale' | 'none' {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'none' : 'stale';
  }
  const owner = parseOwner(content);
  return owner && startTimeOf(owner.pid) === owner.startTime ? owner.pid : 'stale';
}

function parseOwner(content: string): Owner | undefined {
  try {
    const { pid, startTime } = JSON.parse(content) as Partial<Owner>;
    return typeof pid === 'number' && typeof startTime === 'string' ? { pid, startTime } : undefined;
  } catch {
    return undefined;
  }
}
