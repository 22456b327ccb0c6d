import { CallerCounts, type GateCaller } from './waiting-line.ts';

/** The place of an operation that counts as in execution. */
export interface GatePlace {
  /** When it began, in milliseconds by the clock of the gate. */
  sinceMs: number;
  /** Of its caller; absent where it belongs to no caller. */
  readonly key: string | undefined;
  /** Whether the key is of a lane, which many callers have together. */
  readonly isOfLane: boolean;
  /** Whether it has begun beyond the limit: its caller had none. */
  isAhead: boolean;
}

/** An operation that waits until it may begin. */
export interface WaitingOperation {
  /** The one that it will have. */
  readonly place: GatePlace;
  readonly caller: GateCaller | undefined;
  /** Milliseconds, by the clock of the gate. */
  readonly since: number;
  readonly begin: () => void;
  /** Ends the waiting: the operation never begins. */
  readonly leave: (reason: Error) => void;
  /** Of the request; looked at now and then. */
  readonly signal: AbortSignal;
}

/** Operations that wait for a subgraph. They take no place, but their callers have something in execution. */
export class SetAside {
  readonly #ofCallers = new CallerCounts();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Whether it has one of the caller. Never of a lane: one slow event would speak for all. */
  hasOf(key: string | undefined): boolean {
    return key !== undefined && this.#ofCallers.of(key) > 0;
  }

  add({ key, isOfLane }: GatePlace): void {
    this.#size += 1;
    if (key !== undefined && !isOfLane) this.#ofCallers.add(key);
  }

  /** It has ended. */
  delete({ key, isOfLane }: GatePlace): void {
    this.#size -= 1;
    if (key !== undefined && !isOfLane) this.#ofCallers.remove(key);
  }
}
