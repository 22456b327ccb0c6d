/** Something that has to be touched now and then to stay open. */
export interface HeartbeatTarget {
  heartbeat(): void;
}

/** One timer for all open streams and connections of a server. */
export class Heartbeats {
  readonly #targets = new Set<HeartbeatTarget>();
  readonly #intervalMs: () => number;
  #timer: NodeJS.Timeout;

  /** @param intervalMs milliseconds, read before each heartbeat */
  constructor(intervalMs: () => number) {
    this.#intervalMs = intervalMs;
    this.#timer = this.#next();
  }

  #next(): NodeJS.Timeout {
    return setTimeout(() => {
      this.#timer = this.#next();
      for (const target of this.#targets) target.heartbeat();
    }, this.#intervalMs()).unref();
  }

  add(target: HeartbeatTarget): void {
    this.#targets.add(target);
  }

  delete(target: HeartbeatTarget): void {
    this.#targets.delete(target);
  }

  /** The interval has changed: the next heartbeat comes after the new one. */
  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#next();
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
