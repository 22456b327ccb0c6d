/** Something that has to be touched now and then to stay open. */
export interface Beating {
  beat(): void;
}

/** One timer for all open streams and connections of a server. */
export class Heartbeats {
  readonly #beating = new Set<Beating>();
  readonly #timer: NodeJS.Timeout;

  constructor(intervalMs: number) {
    this.#timer = setInterval(() => {
      for (const beating of this.#beating) beating.beat();
    }, intervalMs);
    this.#timer.unref();
  }

  add(beating: Beating): void {
    this.#beating.add(beating);
  }

  delete(beating: Beating): void {
    this.#beating.delete(beating);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
