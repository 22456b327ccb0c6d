import { Redis } from 'ioredis';

/** Keys of one MGET: the server answers no one else meanwhile. */
const MOST_KEYS = 100;

interface Reads {
  readonly keys: string[];
  readonly values: Promise<readonly (string | null)[]>;
  readonly send: () => void;
}

/**
 * Holds what is written in one turn of the event loop back until its end, and writes it at once; what is read with
 * {@link getTogether} in that turn is one command. The client's own automatic pipelining holds back as well, with a pipeline
 * object and a second promise for each command, and with one pipeline under way at a time.
 */
export class GatheringRedis extends Redis {
  #held: Redis['stream'] | undefined;
  #reads: Reads | undefined;
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

  #openTurn(): void {
    if (this.#isTurnOpen) return;
    this.#isTurnOpen = true;
    setImmediate(() => {
      this.#reads?.send(); // before what is held goes out, so that it goes with it
      this.#isTurnOpen = false;
      this.#held?.uncork();
      this.#held = undefined;
    });
  }
}

function readAll(connection: Redis, keys: string[]): Promise<(string | null)[]> {
  return connection.mget(keys);
}
