import {
  ShareLimit,
  type LevelAmounts,
  type ShareKeys,
  type ShareRejection,
} from '@trellis/runtime/admission';

/** How many bytes of requests in flight a process holds. */
export interface InFlightRules {
  /** Bytes of all clients together. */
  readonly totalBytes: number;
  /** Bytes of one caller, and of each network around it. */
  readonly perCallerBytes: LevelAmounts;
}

/** What the process holds for one client: a request from its first byte to its response, or a message. */
export interface HeldBytes {
  /**
   * From now on it is so much.
   *
   * @param bytes in all; small amounts are not counted, as the number of requests and connections bounds them
   * @returns why more can not be held: what was counted stays so
   */
  hold(bytes: number): ShareRejection | undefined;
  /** Nothing is held any more, and what comes later does not count. More than once does no harm. */
  release(): void;
}

/** Where a message or a request is no larger than that, the place that it takes is what is counted. */
const SMALL_BYTES = 4_096;

/**
 * Counts the bytes of large requests in flight, for all clients together and for each caller: bodies and messages
 * that have not arrived whole, those that are executed, and requests that wait behind another. A caller that would hold more
 * than its share is rejected; something is left for the next caller.
 */
export class InFlightBytes {
  readonly #limit: ShareLimit;

  constructor({ totalBytes, perCallerBytes }: InFlightRules) {
    this.#limit = new ShareLimit({ total: totalBytes, perKey: perCallerBytes, leavesRoom: true });
  }

  /** From now on other rules hold; what is held stays so. */
  set rules({ totalBytes, perCallerBytes }: InFlightRules) {
    this.#limit.resize({ total: totalBytes, perKey: perCallerBytes });
  }

  /** Bytes that are held now. */
  get bytes(): number {
    return this.#limit.held;
  }

  /** @param keysOf whose share it counts in; asked when there is something to count */
  open(keysOf: () => ShareKeys): HeldBytes {
    return new Held(this.#limit, keysOf);
  }
}

class Held implements HeldBytes {
  readonly #limit: ShareLimit;
  readonly #keysOf: () => ShareKeys;
  #keys: ShareKeys | undefined;
  #counted = 0;
  #isReleased = false;

  constructor(limit: ShareLimit, keysOf: () => ShareKeys) {
    this.#limit = limit;
    this.#keysOf = keysOf;
  }

  hold(bytes: number): ShareRejection | undefined {
    if (this.#isReleased) return undefined;
    const more = (bytes > SMALL_BYTES ? bytes : 0) - this.#counted;
    if (more === 0) return undefined;
    const keys = (this.#keys ??= this.#keysOf());
    if (more < 0) this.#limit.release(keys, -more);
    const rejection = more > 0 ? this.#limit.tryAcquire(keys, more) : undefined;
    if (rejection === undefined) this.#counted += more;
    if (this.#counted === 0) this.#keys = undefined; // the caller may be another by the next time
    return rejection;
  }

  release(): void {
    this.hold(0);
    this.#isReleased = true;
  }
}
