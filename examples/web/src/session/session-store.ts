/**
 * Texts by name in IndexedDB, the same in every tab at every moment: what is in localStorage reaches other tabs some time later,
 * and a tab that refreshes with a token which another has used already ends the session of all.
 */
export class SessionStore {
  readonly #database = openDatabase();

  async set(name: string, text: string): Promise<void> {
    await this.#run('readwrite', (entries) => entries.put(text, name));
  }

  async get(name: string): Promise<string | null> {
    const text: unknown = await this.#run('readonly', (entries) => entries.get(name));
    return typeof text === 'string' ? text : null;
  }

  async remove(name: string): Promise<string | null> {
    const text = await this.get(name);
    await this.#run('readwrite', (entries) => entries.delete(name));
    return text;
  }

  async getAllKeys(): Promise<string[]> {
    const keys = await this.#run('readonly', (entries) => entries.getAllKeys());
    return keys.map(String);
  }

  async clear(): Promise<void> {
    await this.#run('readwrite', (entries) => entries.clear());
  }

  async #run<Result>(
    mode: IDBTransactionMode,
    action: (entries: IDBObjectStore) => IDBRequest<Result>,
  ): Promise<Result> {
    const transaction = (await this.#database).transaction('entries', mode);
    const request = action(transaction.objectStore('entries'));
    return new Promise((resolve, reject) => {
      transaction.addEventListener('complete', () => resolve(request.result));
      transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('aborted')));
    });
  }
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('session', 1);
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore('entries'));
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('no IndexedDB')));
  });
}
