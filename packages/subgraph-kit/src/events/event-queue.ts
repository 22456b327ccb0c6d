import { clientError } from '@trellis/subgraph-protocol';

/** Events that one reader takes one by one. Bounded: a reader that is too slow gets an error after those queued. */
export class EventQueue<Event> {
  readonly #capacity: number;
  #waiting: Event[] = [];
  #wake: (() => void) | undefined;
  #end: { readonly error?: Error } | undefined;

  /** @param capacity how many events may wait */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** @returns false when it was full, and has ended by that */
  push(event: Event): boolean {
    if (this.#end) return true;
    if (this.#waiting.length >= this.#capacity) {
      this.end(
        clientError(
          'EVENTS_MISSED',
          'Events came faster than they were taken. Query again, and subscribe again.',
        ),
      );
      return false;
    }
    this.#waiting.push(event);
    this.#wake?.();
    return true;
  }

  /** Queued events are still taken, then comes the error, or the end. */
  end(error?: Error): void {
    this.#end ??= error ? { error } : {};
    this.#wake?.();
  }

  /** Takes the next event; undefined at the end. Only one may wait at a time. */
  async take(): Promise<Event | undefined> {
    while (this.#waiting.length === 0 && !this.#end) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const event = this.#waiting.shift();
    if (event === undefined && this.#end?.error) throw this.#end.error;
    return event;
  }

  /** Ends it, and drops queued events. */
  clear(): void {
    this.#waiting = [];
    this.end();
  }
}
