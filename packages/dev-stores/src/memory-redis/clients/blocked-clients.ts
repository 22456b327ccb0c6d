import type { Bytes } from '../bytes.ts';
import type { Reply } from '../protocol/reply.ts';

/** A command that may have to wait: for a key to change, or for its time to pass. */
export interface Wait {
  readonly kind: 'wait';
  readonly keys: readonly Bytes[];
  /** 0 waits for ever. */
  readonly timeoutMs: number;
  /** The reply if there is one by now. Called at once, and after each command that changed one of the keys. */
  readonly attempt: () => Reply | undefined;
  /** The reply when nothing came, and where waiting is out of the question: in a transaction or script. */
  readonly otherwise: Reply;
}

interface Parked {
  readonly wait: Wait;
  readonly finish: (reply: Reply) => void;
  readonly timer: NodeJS.Timeout | undefined;
}

const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** The clients whose command waits, in the order they came. */
export class BlockedClients {
  readonly #waiting = new Map<Bytes, Set<Parked>>();
  readonly #changed = new Set<Bytes>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /**
   * Parks a command.
   *
   * @param finish called once, with the reply
   * @returns gives up: `finish` is not called any more
   */
  park(wait: Wait, finish: (reply: Reply) => void): () => void {
    const timer =
      wait.timeoutMs > 0 ? setTimeout(() => this.#end(parked, wait.otherwise), clamp(wait)) : undefined;
    const parked: Parked = { wait, finish, timer };
    this.#count += 1;
    for (const key of wait.keys) this.#waiting.set(key, (this.#waiting.get(key) ?? new Set()).add(parked));
    return () => this.#leave(parked);
  }

  noteChange(key: Bytes): void {
    if (this.#waiting.has(key)) this.#changed.add(key);
  }

  /** Answers those who waited for what has changed since the last time. */
  serve(): void {
    for (const key of this.#changed) {
      this.#changed.delete(key);
      for (const parked of this.#waiting.get(key) ?? []) {
        const reply = parked.wait.attempt();
        if (reply !== undefined) this.#end(parked, reply);
      }
    }
  }

  #end(parked: Parked, reply: Reply): void {
    this.#leave(parked);
    parked.finish(reply);
  }

  #leave(parked: Parked): void {
    clearTimeout(parked.timer);
    this.#count -= 1;
    for (const key of parked.wait.keys) {
      const group = this.#waiting.get(key);
      group?.delete(parked);
      if (group?.size === 0) this.#waiting.delete(key);
    }
  }
}

/** Node fires a timer beyond 24 days at once. */
function clamp({ timeoutMs }: Wait): number {
  return Math.min(timeoutMs, LONGEST_TIMEOUT_MS);
}
