import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Has every response emit `close` when its connection is closed. Node tells the one that is being sent alone: those of pipelined
 * requests, which wait for it, would never hear of the end of their client, and keep all that they hold.
 */
export function closeWaitingResponses(http: Server): void {
  const waitingOn = new WeakMap<Socket, Set<ServerResponse>>();
  http.on('request', ({ socket }, response) => {
    if (response.socket) return; // its turn has come already
    const waiting = waitingOn.get(socket) ?? watch(socket, waitingOn);
    waiting.add(response);
    response.once('socket', () => waiting.delete(response));
  });
}

/** One listener for them all: there may be hundreds. */
function watch(socket: Socket, waitingOn: WeakMap<Socket, Set<ServerResponse>>): Set<ServerResponse> {
  const waiting = new Set<ServerResponse>();
  waitingOn.set(socket, waiting);
  socket.once('close', () => waiting.forEach(close));
  return waiting;
}

function close(response: ServerResponse): void {
  response.destroy();
  response.emit('close');
}
