import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a server that can be cut. */
export interface CutNetwork {
  /** The server's address by this way. */
  readonly url: string;
  /** Ends all connections; until {@link CutNetwork.mend} new ones end at once. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** Opens a way to a server of this machine. */
export async function openCutNetwork(target: string): Promise<CutNetwork> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) client.destroy();
    else carry(client, connect(Number(port), hostname === 'localhost' ? '127.0.0.1' : hostname), sockets);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    mend: () => {
      isCut = false;
    },
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Carries what comes on either of two connections to the other, until one of them ends. */
function carry(client: Socket, upstream: Socket, sockets: Set<Socket>): void {
  for (const [one, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    sockets.add(one);
    one.pipe(other);
    one.on('error', () => other.destroy());
    one.on('close', () => {
      sockets.delete(one);
      other.destroy();
    });
  }
}
