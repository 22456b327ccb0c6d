import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/**
 * A port of the host that is free now, for what must know its port before it listens.
 *
 * @throws Error when the host is no address of this machine
 */
export async function findFreePort(host: string): Promise<number> {
  const probe = createServer().listen(0, host);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo; // it listens on TCP
  probe.close();
  await once(probe, 'close');
  return port;
}
