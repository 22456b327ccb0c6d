import type { Bytes } from '../bytes.ts';
import type { Client } from './client.ts';

/** The keys that transactions depend on: a change breaks the transactions of those who watch. */
export class Watches {
  readonly #watchers = new Map<Bytes, Set<Client>>();

  watch(client: Client, key: Bytes): void {
    client.watchedKeys.add(key);
    const watchers = this.#watchers.get(key) ?? new Set();
    this.#watchers.set(key, watchers.add(client));
  }

  /** Forgets all that a client watches, and what has happened to it. */
  release(client: Client): void {
    for (const key of client.watchedKeys) {
      const watchers = this.#watchers.get(key);
      watchers?.delete(client);
      if (watchers?.size === 0) this.#watchers.delete(key);
    }
    client.watchedKeys.clear();
    client.watchBroken = false;
  }

  noteChange(key: Bytes): void {
    for (const client of this.#watchers.get(key) ?? []) client.watchBroken = true;
  }
}
