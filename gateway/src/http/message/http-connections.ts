import type { Socket } from 'node:net';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { shareKeysOf, type ShareRejection } from '@trellis/runtime/admission';
import {
  ConnectionPlaces,
  type ConnectionPlace,
  type ConnectionRules,
} from '../../load/connection-places.ts';

/** Settings of {@link HttpConnections}. */
interface HttpConnectionsOptions {
  /** Those that hold for the next connection. */
  readonly rules: () => ConnectionRules;
  /** Whether an address is that of a proxy that is trusted: many clients come from there. */
  readonly isProxy: (address: string) => boolean;
  /** Called for each rejected connection, for metrics. */
  readonly onRejected: (reason: ShareRejection) => void;
}

const REJECTION_OF: Readonly<Record<ShareRejection, ConnectionRejection>> = {
  share: {
    status: 429,
    message:
      'Too many connections are open from this network. Close some, or send requests over those that are open.',
    retryAfterS: 1,
  },
  total: {
    status: 503,
    message: 'The gateway takes no more connections. Connect again later.',
    retryAfterS: 1,
  },
};
/** After which a client that does not part is left. */
const PART_WITHIN_MS = 1_000;

/** Lets connections in: so many of all clients, and so many of each address and the networks around it, idle ones included. */
export class HttpConnections {
  readonly #places: ConnectionPlaces;
  readonly #isProxy: (address: string) => boolean;
  readonly #onRejected: (reason: ShareRejection) => void;

  constructor({ isProxy, onRejected, rules }: HttpConnectionsOptions) {
    this.#places = new ConnectionPlaces(rules);
    this.#isProxy = isProxy;
    this.#onRejected = onRejected;
  }

  /** Connections now. */
  get size(): number {
    return this.#places.size;
  }

  /** @returns the place of a connection, to be left when it ends; nothing where it was rejected and is being closed */
  take(socket: Socket): ConnectionPlace | undefined {
    const address = socket.remoteAddress ?? '';
    const place = this.#places.take(this.#isProxy(address) ? [] : shareKeysOf({ address }));
    if (typeof place !== 'string') return place;
    this.#onRejected(place);
    socket.on('error', () => undefined).resume(); // what it sends is not read
    socket.setTimeout(PART_WITHIN_MS, () => socket.destroy());
    rejectConnection(socket, REJECTION_OF[place]);
    return undefined;
  }
}

/** What is answered to a connection that is not let in. */
export interface ConnectionRejection {
  readonly status: number;
  /** What the client may do. */
  readonly message?: string;
  readonly retryAfterS?: number;
}

/** Answers past everything that knows HTTP, and ends the connection. */
export function rejectConnection(
  socket: Duplex,
  { status, message, retryAfterS }: ConnectionRejection,
): void {
  const error = STATUS_CODES[status] ?? '';
  const body = message === undefined ? '' : JSON.stringify({ error, message });
  const retry = retryAfterS === undefined ? '' : `Retry-After: ${retryAfterS}\r\n`;
  const type = body === '' ? '' : 'Content-Type: application/json; charset=utf-8\r\n';
  const length = `Content-Length: ${body.length}\r\n`;
  socket.end(`HTTP/1.1 ${status} ${error}\r\n${retry}${type}Connection: close\r\n${length}\r\n${body}`);
}
