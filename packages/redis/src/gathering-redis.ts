import { Redis } from 'ioredis';

/** Keys of one MGET: the server answers no one else meanwhile. */
const MOST_KEYS = 100;

/** Items of one call of a script, for the same reason. */
const MOST_ITEMS = 50;

interface Reads {
  readonly keys: string[];
  readonly values: Promise<readonly (string | null)[]>;
  readonly send: () => void;
}

/** Runs a script for items: all keys, then all arguments. It replies with a list. */
type ItemScript = (
  connection: Redis,
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>;

interface Calls {
  readonly keys: string[];
  readonly args: (string | number)[];
  /** So far. */
  items: number;
  readonly replies: Promise<readonly unknown[]>;
  readonly send: () => void;
}

/**
 * Holds what is written in one turn of the event loop back until its end, and writes it at once; what is read with
 * {@link getTogether} in that turn is one command, and what is called with {@link callTogether} one for each script. The client's own automatic pipelining holds back as well, with a pipeline
 * object and a second promise for each command, and with one pipeline under way at a time.
 */
export class GatheringRedis extends Redis {
  #held: Redis['stream'] | undefined;
  #reads: Reads | undefined;
  readonly #calls = new Map<ItemScript, Calls>();
  #isTurnOpen = false;

  override sendCommand(...args: Parameters<Redis['sendCommand']>): unknown {
    const { stream } = this;
    if (stream !== this.#held) this.#hold(stream);
    return super.sendCommand(...args);
  }

  /** The value of a key, as `get` has it, read at the end of this turn: after commands that are sent in it. */
  getTogether(key: string): Promise<string | null> {
    const { keys, values, send } = (this.#reads ??= this.#beginReads());
    const at = keys.push(key) - 1;
    if (keys.length === MOST_KEYS) send();
    return values.then((list) => list[at] ?? null);
  }

  /**
   * What a script replies for an item, called at the end of this turn: after commands that are sent in it, before what is read
   * together. The items of one turn are one call, in their order.
   */
  callTogether(
    script: ItemScript,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    const calls = this.#calls.get(script) ?? this.#beginCalls(script);
    const at = calls.items;
    calls.items += 1;
    calls.keys.push(...keys);
    calls.args.push(...args);
    if (calls.items === MOST_ITEMS) calls.send();
    return calls.replies.then((list) => list[at]);
  }

  #hold(stream: Redis['stream']): void {
    this.#held?.uncork(); // of a connection that was lost in this turn
    stream?.cork();
    this.#held = stream;
    this.#openTurn();
  }

  #beginReads(): Reads {
    const keys: string[] = [];
    let resolve: (values: Promise<readonly (string | null)[]>) => void = () => undefined;
    const values = new Promise<readonly (string | null)[]>((done) => {
      resolve = done;
    });
    const send = (): void => {
      this.#reads = undefined;
      resolve(readAll(this, keys));
    };
    this.#openTurn();
    return { keys, values, send };
  }

  #beginCalls(script: ItemScript): Calls {
    const [keys, args]: [string[], (string | number)[]] = [[], []];
    let resolve: (replies: Promise<readonly unknown[]>) => void = () => undefined;
    const replies = new Promise<readonly unknown[]>((done) => {
      resolve = done;
    });
    const send = (): void => {
      this.#calls.delete(script);
      resolve(script(this, keys, args) as Promise<readonly unknown[]>); // as such scripts do
    };
    const calls = { keys, args, items: 0, replies, send };
    this.#calls.set(script, calls);
    this.#openTurn();
    return calls;
  }

  #openTurn(): void {
    if (this.#isTurnOpen) return;
    this.#isTurnOpen = true;
    setImmediate(() => {
      // Before what is held goes out, so that it goes with it.
      for (const calls of this.#calls.values()) calls.send();
      this.#reads?.send();
      this.#isTurnOpen = false;
      this.#held?.uncork();
      this.#held = undefined;
    });
  }
}

function readAll(connection: Redis, keys: string[]): Promise<(string | null)[]> {
  return connection.mget(keys);
}
