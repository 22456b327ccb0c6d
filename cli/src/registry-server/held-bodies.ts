import { registryLimits } from './registry-limits.ts';
import { RequestNotTaken } from './request-not-taken.ts';

const MIB = 1024 * 1024;
/** Of one change. */
export const MAX_BODY_BYTES: number = registryLimits.bodyMiB.amount * MIB;

/** Bytes of a body that count until it was used, or its connection has ended without that. */
export class HeldBytes {
  #release: () => void;
  #isUsed = false;

  constructor(release: () => void) {
    this.#release = release;
  }

  /** The connection has ended: what is not in use is free. */
  close(): void {
    if (!this.#isUsed) this.#free();
  }

  /** Runs what uses the body; then its bytes are free. */
  async use<Result>(action: () => Promise<Result>): Promise<Result> {
    this.#isUsed = true;
    try {
      return await action();
    } finally {
      this.#free();
    }
  }

  #free(): void {
    this.#release();
    this.#release = () => undefined;
  }
}

/** What {@link HeldBodies} holds. */
export interface HeldBodyAmounts {
  /** Bodies of changes of one client that are read or wait for their turn. @default 64 MiB */
  readonly bytesOfClient?: number | undefined;
  /** The same of all clients. @default 256 MiB */
  readonly bytesOfAll?: number | undefined;
}

/** The bodies of changes in the memory of this server, so that one client leaves room for the others. */
export class HeldBodies {
  readonly #bytesOfClient: number;
  readonly #bytesOfAll: number;
  readonly #held = new Map<string, number>();
  #heldOfAll = 0;

  constructor({
    bytesOfClient = registryLimits.heldMiBOfClient.amount * MIB,
    bytesOfAll = registryLimits.heldMiB.amount * MIB,
  }: HeldBodyAmounts = {}) {
    this.#bytesOfClient = bytesOfClient;
    this.#bytesOfAll = bytesOfAll;
  }

  /**
   * Holds the bytes of the body of a change, before it is read.
   *
   * @param length its `content-length`; without one it counts as the longest
   * @throws RequestNotTaken
   */
  hold(client: string, length: string | undefined): HeldBytes {
    const bytes = length === undefined ? MAX_BODY_BYTES : Number(length);
    if (!(bytes <= MAX_BODY_BYTES)) throw new RequestNotTaken(413, 'A change has at most 32 MiB.');
    const before = this.#held.get(client) ?? 0;
    if (before > 0 && before + bytes > this.#bytesOfClient)
      throw new RequestNotTaken(429, 'Too many bytes of this client wait. Send its changes one by one.');
    if (this.#heldOfAll > 0 && this.#heldOfAll + bytes > this.#bytesOfAll)
      throw new RequestNotTaken(429, 'Too many bytes of changes wait. Try again later.');
    this.#count(client, bytes);
    return new HeldBytes(() => this.#count(client, -bytes));
  }

  #count(client: string, bytes: number): void {
    this.#heldOfAll += bytes;
    const held = (this.#held.get(client) ?? 0) + bytes;
    if (held > 0) this.#held.set(client, held);
    else this.#held.delete(client);
  }
}
