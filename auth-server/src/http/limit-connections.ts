import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import proxyAddress from '@fastify/proxy-addr';
import { amountsOf, DEFAULT_SHARES, ShareLimit, shareKeysOf } from '@trellis/runtime/admission';

/** Settings of {@link limitConnections}. */
export interface ConnectionLimits {
  /** Of all clients; one address has at most half of them. */
  readonly maxConnections: number;
  /** Addresses and ranges of proxies that are trusted: many clients come from there. */
  readonly trustedProxies: readonly string[];
  /** Called for each connection that is not let in. */
  readonly onRejected: () => void;
}

const NO_ONES: readonly string[] = [];
const REJECTION = [
  'HTTP/1.1 429 Too Many Requests',
  'Retry-After: 5',
  'Connection: close',
  'Content-Type: text/plain',
  'Content-Length: 44',
  '',
  'Too many connections are open. Close some.\r\n',
].join('\r\n');

/**
 * Lets so many connections in, idle ones included, and of each address and the networks around it a share, so that no one
 * takes the memory and the file descriptors of all. Who has none yet finds a place as long as there is one.
 *
 * @param isEncrypted whether there is a handshake before HTTP: then a rejected connection just ends
 */
export function limitConnections(server: Server, limits: ConnectionLimits, isEncrypted: boolean): void {
  const { maxConnections: total, trustedProxies, onRejected } = limits;
  const places = new ShareLimit({
    total,
    perKey: amountsOf(total, DEFAULT_SHARES.ofTotal),
    leavesRoom: true,
  });
  const isProxy = proxyAddress.compile([...trustedProxies]);
  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const keys = address !== '' && isProxy(address, 0) ? NO_ONES : shareKeysOf({ address });
    if (places.tryAcquire(keys) === undefined) {
      socket.once('close', () => places.release(keys));
      return;
    }
    onRejected();
    if (!isEncrypted) socket.write(REJECTION);
    socket.on('error', () => undefined).destroySoon(); // before anything that it sends is read
  });
}
