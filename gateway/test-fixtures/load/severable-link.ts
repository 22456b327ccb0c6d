import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a server that can be cut as a network is that drops packets: neither side is notified, and nothing arrives. */
export interface SeverableLink {
  readonly port: number;
  sever(): void;
  /** What was on its way arrives. */
  restore(): void;
  close(): Promise<void>;
}

/** Listens on a free port of the loopback address, and passes on to another one. */
export async function openLink(target: number): Promise<SeverableLink> {
  let isSevered = false;
  const sockets = new Set<Socket>();
  const add = (socket: Socket): void => {
    sockets.add(socket);
    if (isSevered) socket.pause();
    socket.on('error', () => undefined); // a close follows
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    add(near);
    add(far);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    port,
    sever() {
      isSevered = true;
      for (const socket of sockets) socket.pause();
    },
    restore() {
      isSevered = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
