import { STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { PendingResponses } from './pending-responses.ts';
import { hasTooManyHeaders } from './unambiguous-request.ts';

/** Receives the connection of a request for WebSocket; `head` is what has arrived behind it. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

const WEBSOCKET_REQUESTED = 'webSocketRequested';

/** Calls a listener for each request for WebSocket, when all earlier ones of its connection have been answered. */
export function onWebSocketRequest(http: Server, listener: UpgradeListener): void {
  http.on(WEBSOCKET_REQUESTED, listener);
}

/**
 * Passes requests for WebSocket at one path of a server that was made elsewhere on to {@link onWebSocketRequest}. Where no one else
 * listens for upgrades, those at other paths are closed, as `ws` does it.
 */
export function passWebSocketRequests(http: Server, path: string): void {
  http.on('upgrade', (request, socket, head) => {
    const isOurs = request.url?.split('?', 1)[0] === path && isWebSocketRequest(request);
    if (isOurs) http.emit(WEBSOCKET_REQUESTED, request, socket, head);
    else if (http.listenerCount('upgrade') === 1) socket.destroy();
  });
}

/**
 * Ignores every `Upgrade` but that to WebSocket, where someone listens for that. Clients that prefer HTTP/2 ask for `h2c` with
 * their first request or with each: Java's HttpClient and `curl --http2` do.
 *
 * Once anybody listens for upgrades Node hands all of them over, and if no one does it loses what has arrived behind such a
 * request. So this always listens, and has the request read again without the header, together with what has arrived behind it.
 *
 * @see RFC 9110 §7.8
 */
export function ignoreOtherUpgrades(http: Server, pending: PendingResponses): void {
  http.on('upgrade', (request, duplex, head) => {
    const socket = duplex as Socket; // the server listens on sockets alone
    afterPending(socket, pending, () => {
      if (isWebSocketRequest(request) && http.emit(WEBSOCKET_REQUESTED, request, socket, head)) return;
      readAgain(http, request, socket, head);
    });
  });
}

function isWebSocketRequest({ method, httpVersion, headers }: IncomingMessage): boolean {
  return method === 'GET' && httpVersion === '1.1' && headers.upgrade?.toLowerCase() === 'websocket';
}

/** Node has left the connection: until the earlier responses have gone out, what it would do for them is done here. */
function afterPending(socket: Socket, pending: PendingResponses, then: () => void): void {
  const firstPending = (): NodeJS.EventEmitter | undefined => [...pending.of(socket)][0];
  if (!firstPending()) return then();
  const drained = (): unknown => firstPending()?.emit('drain');
  const silent = (): unknown => socket.destroy();
  socket.on('error', ignore).on('timeout', silent).on('drain', drained);
  const check = (): void => {
    const before = firstPending();
    if (before) return void before.once('close', check);
    socket.off('error', ignore).off('timeout', silent).off('drain', drained);
    if (socket.writable) then();
    else socket.destroy();
  };
  check();
}

/** `close` follows. */
function ignore(): void {}

function readAgain(http: Server, request: IncomingMessage, socket: Socket, behind: Buffer): void {
  // Node stores so many of them only: the one that frames the body may be missing
  if (hasTooManyHeaders(request)) return void socket.end(TOO_MANY_HEADERS);
  http.emit(socket instanceof TLSSocket ? 'secureConnection' : 'connection', socket);
  socket.emit('data', Buffer.concat([headWithoutUpgrade(request), behind]));
}

const TOO_MANY_HEADERS = `HTTP/1.1 431 ${STATUS_CODES[431]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;

function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string; // names and values alternate
    if (name.toLowerCase() !== 'upgrade') head += `${name}: ${rawHeaders[index + 1]}\r\n`;
  }
  return Buffer.from(`${head}\r\n`, 'latin1');
}
