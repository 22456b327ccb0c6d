import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { serveConnection } from './connection.ts';
import type { ReportFailure } from './execute-command.ts';
import type { Instance } from '../instance.ts';

/** A listening server. */
export interface TcpServer {
  readonly port: number;
  /** Cuts all connections; resolves when the port is free. */
  close(): Promise<void>;
}

/**
 * Listens for clients of an instance.
 *
 * @param port 0: any free one
 * @throws Error of the system when the port can't be had
 */
export async function listen(
  instance: Instance,
  port: number,
  host: string,
  reportFailure: ReportFailure,
): Promise<TcpServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    admit(instance, socket, reportFailure);
  });
  await bound(server, port, host);
  const { port: actual } = server.address() as AddressInfo; // a server that listens on TCP has one
  instance.port = actual;
  return { port: actual, close: () => close(server, sockets) };
}

function admit(instance: Instance, socket: Socket, reportFailure: ReportFailure): void {
  instance.totals.connections += 1;
  if (instance.clients.size >= instance.limits.maxClients) {
    instance.totals.rejectedConnections += 1;
    socket.on('error', () => socket.destroy());
    socket.end('-ERR max number of clients reached\r\n');
    return;
  }
  serveConnection(instance, socket, instance.totals.connections, reportFailure);
}

function bound(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
  });
}
