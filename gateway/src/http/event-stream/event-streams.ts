import { randomBytes } from 'node:crypto';
import { amountAt, amountsOf, DEFAULT_SHARES, ShareLimit, type ShareKeys } from '@trellis/runtime/admission';
import { overloaded, rejected, tooManyStreams } from '../../errors.ts';
import type { TransportSettings } from '../../settings/settings.ts';
import { EventStream } from './event-stream.ts';

/** 192 bits: who has the token has the stream. */
const TOKEN_BYTES = 24;

/** An event stream, and whose share it counts in. */
interface OwnedStream {
  readonly stream: EventStream;
  readonly keys: ShareKeys;
}

/** The event streams of a process, by their tokens. They have the bounds of WebSocket connections. */
export class EventStreams {
  readonly #streams = new Map<string, OwnedStream>();
  readonly #limit = new ShareLimit({ total: Infinity, perKey: [Infinity] });
  readonly #settings: () => TransportSettings;

  constructor(settings: () => TransportSettings) {
    this.#settings = settings;
  }

  /** Event streams that are reserved or open. */
  get size(): number {
    return this.#streams.size;
  }

  /**
   * Reserves one, which its client has to open within `subscriptions.webSocket.initMs`.
   *
   * @param keys of the user, or of the address without a user
   * @returns its token
   * @throws RequestError TOO_MANY_STREAMS; OVERLOADED where all together have as many as may be open
   */
  reserve(keys: ShareKeys): string {
    const { maxConnections, maxConnectionsPerUser, initMs } = this.#settings().subscriptions.webSocket;
    const amounts = amountsOf(maxConnectionsPerUser, DEFAULT_SHARES.ofCaller);
    const isFree = keys.every((key, level) => this.#limit.heldBy(key) < amountAt(amounts, level));
    if (!isFree)
      throw tooManyStreams(`No more than ${maxConnectionsPerUser} event streams may be open at once.`);
    if (this.size >= maxConnections) throw overloaded();
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    this.#limit.acquire(keys);
    const stream = new EventStream(initMs, () => {
      this.#streams.delete(token);
      this.#limit.release(keys);
    });
    this.#streams.set(token, { stream, keys });
    return token;
  }

  /** @throws RequestError STREAM_NOT_FOUND */
  find(token: string): OwnedStream {
    const found = this.#streams.get(token);
    if (found) return found;
    throw rejected('STREAM_NOT_FOUND', 'No event stream has this token. Reserve another one by PUT.');
  }

  /** Ends them all, so that their clients connect again. */
  close(): void {
    for (const { stream } of this.#streams.values()) stream.end();
  }
}
