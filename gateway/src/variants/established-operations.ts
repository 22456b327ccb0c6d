/** Callers of the main generation that make an operation one of the graph's. */
const ENOUGH_CALLERS = 5;
/** Seconds for which a caller has sent it. */
const WINDOW_S = 600;
/** Operations that are remembered. With more, the oldest goes that too few callers have sent. */
const MAX_OPERATIONS = 2_000;

interface Senders {
  /** The latest, each with the second in which it has sent the operation: the one that is longest ago comes first. */
  readonly seconds: Map<number, number>;
  lastSecond: number;
}

/**
 * The operations that a graph is used with: those that the operator has listed, and those that several callers of the main generation
 * have sent lately. Any client can write another one, and have it fail where and when it likes.
 */
export class EstablishedOperations {
  readonly #listed = new Set<number>();
  readonly #sent = new Map<number, Senders>();
  /** Those that too few have sent, the oldest first. */
  readonly #few = new Set<number>();

  /** The operator has listed it. */
  list(operation: number): void {
    this.#listed.add(operation);
  }

  /**
   * A caller of the main generation has sent it. Seconds do not fall.
   *
   * @param operation hash of its text
   * @param caller hash of who has sent it
   */
  send(operation: number, caller: number, second: number): void {
    const senders = this.#sent.get(operation) ?? this.#begin(operation);
    if (!senders) return;
    const { seconds } = senders;
    if (!seconds.delete(caller) && seconds.size >= ENOUGH_CALLERS) deleteFirst(seconds);
    seconds.set(caller, second);
    senders.lastSecond = second;
    if (seconds.size >= ENOUGH_CALLERS) this.#few.delete(operation);
  }

  has(operation: number, second: number): boolean {
    if (this.#listed.has(operation)) return true;
    const seconds = this.#sent.get(operation)?.seconds;
    if (!seconds || seconds.size < ENOUGH_CALLERS) return false;
    const [first = Number.NEGATIVE_INFINITY] = seconds.values();
    return second - first < WINDOW_S;
  }

  /** Forgets what was not sent lately. */
  forget(second: number): void {
    for (const [operation, { lastSecond }] of this.#sent)
      if (second - lastSecond >= WINDOW_S) this.#drop(operation);
  }

  #begin(operation: number): Senders | undefined {
    if (this.#sent.size >= MAX_OPERATIONS) {
      const [oldest] = this.#few;
      if (oldest === undefined) return undefined;
      this.#drop(oldest);
    }
    const senders: Senders = { seconds: new Map(), lastSecond: 0 };
    this.#sent.set(operation, senders);
    this.#few.add(operation);
    return senders;
  }

  #drop(operation: number): void {
    this.#sent.delete(operation);
    this.#few.delete(operation);
  }
}

function deleteFirst(seconds: Map<number, number>): void {
  const [first] = seconds.keys();
  if (first !== undefined) seconds.delete(first);
}
