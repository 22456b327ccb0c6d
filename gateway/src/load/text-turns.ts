import type { QueueCaller } from '@trellis/admission';
import { WaitingLine, type InLine } from './waiting-line.ts';

/** Settings of {@link TextTurns}. */
export interface TextTurnsOptions {
  /** Milliseconds of each turn of the event loop. @default 5 */
  readonly turnMs?: number;
}

/** Work that waits for a later turn. */
interface Waiting extends InLine {
  readonly begin: () => void;
}

const TURN_MS = 5;
/**
 * Turns of the event loop without such work after one that is full of it, while more waits. Node accepts one connection in
 * each turn: were all of them long, clients that have just connected would wait for many.
 */
const TURNS_BETWEEN = 16;

/**
 * Lets work on texts that no one has sent before have some milliseconds of each turn of the event loop, and no more: a client that
 * sends hundreds of them at once would have everybody else wait for all of them. What has to wait has its turn by shares of
 * callers. As long as there is little of it, it is done at once.
 */
export class TextTurns {
  readonly #turnMs: number;
  readonly #waiting = new WaitingLine<Waiting>();
  #spentMs = 0;
  #isNextExpected = false;
  #turnsToWait = TURNS_BETWEEN;

  constructor({ turnMs = TURN_MS }: TextTurnsOptions = {}) {
    this.#turnMs = turnMs;
  }

  /**
   * @returns what the work returns, at once where there is time left
   * @throws what the work throws, and the signal's reason when it is aborted before its turn
   */
  run<Result>(caller: QueueCaller, signal: AbortSignal, work: () => Result): Result | Promise<Result> {
    if (this.#waiting.size === 0 && this.#spentMs < this.#turnMs) return this.#measured(work);
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        try {
          signal.throwIfAborted();
          resolve(this.#measured(work));
        } catch (error) {
          reject(error);
        }
      };
      this.#waiting.add({ caller, begin });
      this.#expectNext();
    });
  }

  #measured<Result>(work: () => Result): Result {
    const startedAtMs = performance.now();
    try {
      return work();
    } finally {
      this.#spentMs += performance.now() - startedAtMs;
      this.#expectNext();
    }
  }

  #expectNext(): void {
    if (this.#isNextExpected) return;
    this.#isNextExpected = true;
    setImmediate(() => this.#nextTurn());
  }

  #nextTurn(): void {
    this.#isNextExpected = false;
    if (this.#waiting.size > 0 && this.#turnsToWait > 0) {
      this.#turnsToWait -= 1;
      this.#expectNext();
      return;
    }
    this.#spentMs = 0;
    this.#turnsToWait = TURNS_BETWEEN;
    while (this.#waiting.size > 0 && this.#spentMs < this.#turnMs) this.#waiting.next()?.begin();
    if (this.#waiting.size > 0) this.#expectNext();
  }
}
