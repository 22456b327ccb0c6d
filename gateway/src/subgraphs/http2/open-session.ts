import { connect, type ClientHttp2Session } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { TlsOptions } from '../tls/tls-options.ts';

/** How an origin is connected to over HTTP/2. */
export interface Http2Options {
  readonly tls: TlsOptions;
  readonly connectTimeoutMs: number;
  /** Whether HTTP/1.1 is offered too; where the subgraph picks it, {@link OnlyHttp1} says so. */
  readonly offersHttp1: boolean;
}

/** The subgraph speaks HTTP/1.1 and not HTTP/2. */
export class OnlyHttp1 extends Error {
  override name = 'OnlyHttp1';
}

/** What a subgraph may send ahead, bytes: on a stream, and on all of a session. */
const STREAM_WINDOW_BYTES = 1_048_576;
const SESSION_WINDOW_BYTES = 16 * STREAM_WINDOW_BYTES;
/** Memory of a session, MB. Beyond its default of 10, Node.js rejects streams. */
const SESSION_MEMORY_MB = 128;

/**
 * Opens a connection over HTTP/2: by ALPN over TLS, else by prior knowledge (RFC 9113 §3.2, §3.3).
 *
 * @throws OnlyHttp1; Error where the origin can't be reached in time
 */
export async function openHttp2Session(origin: string, options: Http2Options): Promise<ClientHttp2Session> {
  const { connectTimeoutMs } = options;
  const socket = openSocket(origin, options);
  await opened(socket, origin.startsWith('https:') ? 'secureConnect' : 'connect', connectTimeoutMs);
  if (origin.startsWith('https:')) assertHttp2(socket as TLSSocket, options); // as opened above
  const session = connect(origin, {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
    maxSessionMemory: SESSION_MEMORY_MB,
  });
  // an alert of TLS ends the session without an event of its own
  await Promise.race([opened(session, 'remoteSettings', connectTimeoutMs), failed(socket)]);
  session.setLocalWindowSize(SESSION_WINDOW_BYTES);
  return session;
}

function openSocket(origin: string, { tls, offersHttp1 }: Http2Options): Socket {
  const { hostname, port, protocol } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol === 'http:') return connectTcp({ host, port: Number(port || 80), noDelay: true });
  const ALPNProtocols = offersHttp1 ? ['h2', 'http/1.1'] : ['h2'];
  return connectTls({ host, port: Number(port || 443), ...tls, ALPNProtocols });
}

function assertHttp2(socket: TLSSocket, { offersHttp1 }: Http2Options): void {
  if (socket.alpnProtocol === 'h2') return;
  socket.destroy();
  if (offersHttp1) throw new OnlyHttp1('The subgraph speaks HTTP/1.1.');
  throw new Error('The subgraph does not speak HTTP/2, which subgraphConnections.protocol demands.');
}

interface Opening extends NodeJS.EventEmitter {
  destroy(): unknown;
}

function failed(socket: Socket): Promise<never> {
  return new Promise((_resolve, reject) => {
    socket.on('error', reject);
  });
}

/** @throws Error where it fails first, or nothing comes in time */
function opened(opening: Opening, event: string, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      stop();
      opening.on('error', () => undefined); // what follows is of no interest
      opening.destroy();
      reject(error);
    };
    const succeed = (): void => {
      stop();
      resolve();
    };
    const closed = (): void => fail(new Error('The connection was closed.'));
    const timer = setTimeout(
      () => fail(new Error(`There is no connection after ${timeoutMs} ms.`)),
      timeoutMs,
    );
    const stop = (): void => {
      clearTimeout(timer);
      opening.off(event, succeed).off('error', fail).off('close', closed);
    };
    opening.on(event, succeed).on('error', fail).on('close', closed);
  });
}
