import { clientError } from '@trellis/subgraph-protocol';

/** What waits for someone who takes it one by one. Bounded: who takes too slowly gets an error after what is there. */
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
          'Events came faster than they were taken. Read anew, and subscribe again.',
        ),
      );
      return false;
    }
    this.#waiting.push(event);
    this.#wake?.();
    return true;
  }

  /** What is there is still taken, then comes the error, or the end. */
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

  /** Ends it, and forgets what is there. */
  clear(): void {
    this.#waiting = [];
    this.end();
  }
}
