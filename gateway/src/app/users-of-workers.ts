import type { Worker } from 'node:cluster';
import type { ListedUsers } from '../usage/listed-users.ts';
import type { UsersFound, UsersReply, UsersWanted } from '../usage/users-exchange.ts';

interface Collection {
  readonly awaited: Set<Worker>;
  readonly listed: ListedUsers[];
  readonly end: () => void;
}

/** Milliseconds for what a worker knows. */
const DEADLINE_MS = 1_000;

/** Collects in the primary process what workers know of the users of a field. */
export class UsersOfWorkers {
  readonly #collections = new Map<string, Collection>();

  /**
   * Asks the others for one worker.
   *
   * @param absent how many others do not serve now
   * @param respond called once, within a second
   */
  collect(
    { id, field }: UsersWanted,
    others: readonly Worker[],
    absent: number,
    respond: (found: UsersFound) => void,
  ): void {
    const awaited = new Set(others);
    const listed: ListedUsers[] = [];
    const end = (): void => {
      clearTimeout(timer);
      this.#collections.delete(id);
      respond({ kind: 'users found', id, listed, missing: awaited.size + absent });
    };
    const timer = setTimeout(end, DEADLINE_MS);
    this.#collections.set(id, { awaited, listed, end });
    for (const worker of others) if (worker.isConnected()) worker.send({ kind: 'users', id, field });
    if (awaited.size === 0) end();
  }

  /** One that comes too late is of no collection any more. */
  add({ id, listed }: UsersReply, from: Worker): void {
    const collection = this.#collections.get(id);
    if (!collection?.awaited.delete(from)) return;
    collection.listed.push(listed);
    if (collection.awaited.size === 0) collection.end();
  }
}
