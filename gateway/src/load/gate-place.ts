import type { GateCaller } from './waiting-line.ts';

/** The place of an operation that counts as in execution. */
export interface GatePlace {
  /** The last reading before it began. */
  afterReading: number;
  /** Of its caller; absent where it is no one's in particular. */
  readonly key: string | undefined;
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
