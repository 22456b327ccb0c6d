import type { Writable } from 'node:stream';

/** More than these bytes are written before the turn is over. */
const MAX_GATHERED_BYTES = 65_536;

/** Counts turns of the event loop, as long as it is asked. */
class LoopTurns {
  #turn = 0;
  #isCounting = false;
  #atEnd: (() => void)[] = [];

  /** A number that the next turn does not have. */
  get current(): number {
    if (!this.#isCounting) {
      this.#isCounting = true;
      setImmediate(() => this.#end());
    }
    return this.#turn;
  }

  /** @param listener called once, when the turn is over; it does not throw */
  whenOver(listener: () => void): void {
    this.#atEnd.push(listener);
  }

  #end(): void {
    const listeners = this.#atEnd;
    this.#atEnd = [];
    this.#isCounting = false;
    this.#turn += 1;
    for (const listener of listeners) listener();
  }
}

const loopTurns = new LoopTurns();

/**
 * Writes to a connection. The first chunk of a turn of the event loop goes out at once; those that follow it in the same turn are
 * gathered and go out together when it ends: a write costs more than what most events are.
 */
export class GatheredWrites {
  readonly #stream: Writable;
  readonly #onWritten: () => void;
  #lastTurn = -1;
  #isGathering = false;

  /** @param onWritten called after each write to the system; also where the stream has ended meanwhile */
  constructor(stream: Writable, onWritten: () => void) {
    this.#stream = stream;
    this.#onWritten = onWritten;
  }

  write(chunk: Buffer): void {
    const turn = loopTurns.current;
    if (turn === this.#lastTurn) this.#gather();
    this.#lastTurn = turn;
    this.#stream.write(chunk);
    if (!this.#isGathering) this.#onWritten();
    else if (this.#stream.writableLength > MAX_GATHERED_BYTES) this.flush();
  }

  /** Writes what is gathered now, for one who writes past this. */
  flush(): void {
    if (!this.#isGathering) return;
    this.#isGathering = false;
    this.#stream.uncork();
    this.#onWritten();
  }

  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.#stream.cork();
    loopTurns.whenOver(() => this.flush());
  }
}
