import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const NONE: ReadonlySet<ServerResponse> = new Set();

/**
 * The responses of each connection that have not gone out, in the order of their requests: the first of them has its turn.
 *
 * It has every one of them emit `close` when its connection is closed. Node notifies the one that is being sent alone: those of
 * pipelined requests, which wait for it, would never hear of the end of their client, and keep all that they hold.
 */
export class PendingResponses {
  readonly #bySocket = new WeakMap<Socket, Set<ServerResponse>>();

  /** Counts those of a server, from its first request on. */
  watch(http: Server): void {
    http.on('request', ({ socket }, response) => {
      const pending = this.#bySocket.get(socket) ?? this.#watchSocket(socket);
      pending.add(response);
      response.once('close', () => pending.delete(response));
    });
  }

  /** Those of a connection. It changes as they go out. */
  of(socket: Socket): ReadonlySet<ServerResponse> {
    return this.#bySocket.get(socket) ?? NONE;
  }

  /** Whether what is written now answers the request that is being read, and no earlier one. */
  isTurnOfNext(socket: Socket): boolean {
    const [first, second] = this.of(socket);
    return !first || (!second && !first.headersSent && !first.req.complete);
  }

  /** One listener for all of a connection: there may be hundreds. */
  #watchSocket(socket: Socket): Set<ServerResponse> {
    const pending = new Set<ServerResponse>();
    this.#bySocket.set(socket, pending);
    socket.once('close', () => {
      for (const response of pending) if (!response.socket) close(response);
    });
    return pending;
  }
}

function close(response: ServerResponse): void {
  response.destroy();
  response.emit('close');
}
