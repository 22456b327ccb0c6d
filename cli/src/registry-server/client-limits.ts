import { ShareBuckets } from '@trellis/admission';

/** What a server takes of clients. */
export interface ClientLimitAmounts {
  /** Of one client: two hundred a second. A gateway that starts reads a record a request. @default 12,000 */
  readonly requestsPerMinute?: number | undefined;
  /** Of one client: twenty a second, more than are composed. @default 1,200 */
  readonly changesPerMinute?: number | undefined;
  /** Bodies of changes of one client that are read or wait for their turn. @default 64 MiB */
  readonly bytesOfClient?: number | undefined;
  /** The same of all clients. @default 256 MiB */
  readonly bytesOfAll?: number | undefined;
  /** Readers of one client that wait for records. @default 200 */
  readonly waitingOfClient?: number | undefined;
}

const MIB = 1024 * 1024;
/** Of one change. */
export const MAX_BODY_BYTES: number = 32 * MIB;

/** A request that is not taken; Fastify makes a response of its status. */
export class RequestNotTaken extends Error {
  override readonly name = 'RequestNotTaken';
  readonly statusCode: 413 | 429;

  constructor(statusCode: 413 | 429, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

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

/** How much of each client a server takes, so that one leaves room for the others. */
export class ClientLimits {
  readonly #requests: ShareBuckets;
  readonly #changes: ShareBuckets;
  readonly #bytesOfClient: number;
  readonly #bytesOfAll: number;
  readonly #held = new Map<string, number>();
  #heldOfAll = 0;

  constructor({
    requestsPerMinute = 12_000,
    changesPerMinute = 1_200,
    bytesOfClient = 64 * MIB,
    bytesOfAll = 256 * MIB,
  }: ClientLimitAmounts = {}) {
    this.#requests = new ShareBuckets({ amounts: [requestsPerMinute], windowMs: 60_000 });
    this.#changes = new ShareBuckets({ amounts: [changesPerMinute], windowMs: 60_000 });
    this.#bytesOfClient = bytesOfClient;
    this.#bytesOfAll = bytesOfAll;
  }

  /** Counts a request. @throws RequestNotTaken */
  takeRequest(client: string): void {
    if (this.#requests.take([`client:${client}`]) > 0)
      throw new RequestNotTaken(429, 'This client sends too many requests. Try again in a minute.');
  }

  /** Counts a change. @throws RequestNotTaken */
  takeChange(client: string): void {
    if (this.#changes.take([`client:${client}`]) > 0)
      throw new RequestNotTaken(429, 'This client sends too many changes. Try again in a minute.');
  }

  /**
   * Holds the bytes of the body of a change, before it is read.
   *
   * @param length its `content-length`; without one it counts as the longest
   * @throws RequestNotTaken
   */
  holdBody(client: string, length: string | undefined): HeldBytes {
    const bytes = length === undefined ? MAX_BODY_BYTES : Number(length);
    if (!(bytes <= MAX_BODY_BYTES)) throw new RequestNotTaken(413, 'A change has at most 32 MiB.');
    const before = this.#held.get(client) ?? 0;
    if (before > 0 && before + bytes > this.#bytesOfClient)
      throw new RequestNotTaken(429, 'Too many bytes of this client wait. Send its changes one by one.');
    if (this.#heldOfAll > 0 && this.#heldOfAll + bytes > this.#bytesOfAll)
      throw new RequestNotTaken(429, 'Too many bytes of changes wait. Try again later.');
    this.#hold(client, bytes);
    return new HeldBytes(() => this.#hold(client, -bytes));
  }

  #hold(client: string, bytes: number): void {
    this.#heldOfAll += bytes;
    const held = (this.#held.get(client) ?? 0) + bytes;
    if (held > 0) this.#held.set(client, held);
    else this.#held.delete(client);
  }
}
