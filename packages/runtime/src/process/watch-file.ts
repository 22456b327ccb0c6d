import { statSync, type BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';

const POLL_MS = 1_000;

/** A file, and what it was like when it was about to be read. */
export interface StampedFile {
  readonly path: string;
  /** When it was written, which file it is, and its size; `absent` where it did not exist. */
  readonly stamp: string;
}

/** Stamps a file. To be called before it is read: what is written from then on is a change. */
export function stampFile(path: string): StampedFile {
  try {
    return { path, stamp: stampOf(statSync(path, { bigint: true })) }; // as for files with secrets: it may be a pipe
  } catch {
    return { path, stamp: ABSENT };
  }
}

/**
 * Calls back when a file changes, is replaced, appears or disappears, compared with what it was when it was read. It looks every second by
 * default: watchers miss files that are replaced by a rename, files behind links, as Kubernetes mounts them, and files on network
 * volumes.
 *
 * @param pollMs how often it looks, milliseconds
 * @returns ends it
 */
export function watchFile(
  { path, stamp: first }: StampedFile,
  changed: () => void,
  pollMs: number = POLL_MS,
): () => void {
  let known = first;
  let isOver = false;
  const look = async (): Promise<void> => {
    const stamp = await stat(path, { bigint: true }).then(stampOf, () => ABSENT);
    if (isOver || stamp === known) return;
    known = stamp;
    changed();
  };
  void look(); // it may have changed since it was read
  const timer = setInterval(() => void look(), pollMs);
  timer.unref();
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}

const ABSENT = 'absent';

/** A pipe is read once, and its stamp stays the same while it is written to. */
function stampOf(stats: BigIntStats): string {
  const { mtimeNs, ino, size } = stats;
  return stats.isFIFO() ? `pipe ${ino}` : `${mtimeNs} ${ino} ${size}`;
}
