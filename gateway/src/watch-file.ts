import { watchFile as poll, unwatchFile, type Stats } from 'node:fs';

const POLL_MS = 1_000;

/**
 * Calls back when a file changes, is replaced, appears or disappears. It looks every second: watchers miss files that are
 * replaced by a rename, and files on network volumes.
 *
 * @returns ends it
 */
export function watchFile(path: string, changed: () => void): () => void {
  const listener = (now: Stats, before: Stats): void => {
    if (now.mtimeMs !== before.mtimeMs || now.ino !== before.ino || now.size !== before.size) changed();
  };
  poll(path, { persistent: false, interval: POLL_MS }, listener);
  return () => unwatchFile(path, listener);
}
