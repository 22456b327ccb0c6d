import { statSync, type BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';

const POLL_MS = 1_000;

/**
 * Calls back when a file changes, is replaced, appears or disappears, compared with what it is now. It looks every second by default:
 * watchers miss files that are replaced by a rename, files behind links, as Kubernetes mounts them, and files on network
 * volumes.
 *
 * @param pollMs how often it looks, milliseconds
 * @returns ends it
 */
export function watchFile(path: string, changed: () => void, pollMs: number = POLL_MS): () => void {
  let known = stampNow(path); // at once: a change that follows this call must not become the beginning
  let isOver = false;
  const timer = setInterval(() => {
    void stampOf(path).then((stamp) => {
      if (isOver || stamp === known) return;
      known = stamp;
      changed();
    });
  }, pollMs);
  timer.unref();
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}

function stampNow(path: string): string {
  try {
    return textOf(statSync(path, { bigint: true })); // as for files with secrets: it may be a pipe
  } catch {
    return ABSENT;
  }
}

async function stampOf(path: string): Promise<string> {
  return stat(path, { bigint: true }).then(textOf, () => ABSENT);
}

const ABSENT = 'absent';

function textOf({ mtimeNs, ino, size }: BigIntStats): string {
  return `${mtimeNs} ${ino} ${size}`;
}
