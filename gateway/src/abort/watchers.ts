/** Someone who is called back. */
interface Watcher {
  readonly callback: () => void;
  /** Where it is in the list; -1 when it has left. */
  at: number;
}

/**
 * Those who watch something, in no order. A list, since they come and go with each call to a subgraph: V8 gives a `Set` that is filled and
 * emptied one table after the other, and each knows the next. One that is dead and old keeps all later ones alive, with those who
 * watched, until the next full garbage collection, and each collection of young objects copies them (ADR 15).
 */
export class Watchers {
  readonly #list: Watcher[] = [];

  /** Who is added twice is called twice. @returns takes it out; without effect the second time */
  add(callback: () => void): () => void {
    const watcher = { callback, at: this.#list.length };
    this.#list.push(watcher);
    return () => this.#remove(watcher);
  }

  /** Calls those who are there, but for those who leave meanwhile, and not those who come meanwhile. */
  callAll(): void {
    for (const watcher of this.#list.slice()) if (watcher.at !== -1) watcher.callback();
  }

  #remove(watcher: Watcher): void {
    if (watcher.at === -1) return;
    const last = this.#list.pop();
    if (last && last !== watcher) {
      this.#list[watcher.at] = last;
      last.at = watcher.at;
    }
    watcher.at = -1;
  }
}
