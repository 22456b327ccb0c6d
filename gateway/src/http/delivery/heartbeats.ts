/** Something that has to be touched now and then to stay open. */
export interface Beating {
  beat(): void;
}

/** One timer for all open streams and connections of a server. */
export class Heartbeats {
  readonly #beating = new Set<Beating>();
  readonly #intervalMs: () => number;
  #timer: NodeJS.Timeout;

  /** @param intervalMs milliseconds, asked before each beat */
  constructor(intervalMs: () => number) {
    this.#intervalMs = intervalMs;
    this.#timer = this.#next();
  }

  #next(): NodeJS.Timeout {
    return setTimeout(() => {
      this.#timer = this.#next();
      for (const beating of this.#beating) beating.beat();
    }, this.#intervalMs()).unref();
  }

  add(beating: Beating): void {
    this.#beating.add(beating);
  }

  delete(beating: Beating): void {
    this.#beating.delete(beating);
  }

  /** The interval has changed: the next beat comes after the new one. */
  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#next();
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
