import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what systems assign by themselves (from 32768 on Linux): no connection gets one of these by chance before it is used. */
const LOWEST = 20_000;
const HIGHEST = 32_000;
/** From here on for several in sequence, of which the last is taken long after the first: who wants one port stays below. */
const LOWEST_OF_SEVERAL = 26_000;
const LOOPBACK = '127.0.0.1';

/**
 * A TCP port that is free now, for a server that can't choose one itself, or must know it before it listens. Another process may take it
 * first: the caller must expect that.
 *
 * @throws Error when the host is no address of this machine
 */
export async function freePort(host: string = LOOPBACK): Promise<number> {
  const [port = 0] = await freePorts(1, host); // as many as are wanted
  return port;
}

/** As many free ports as wanted, in sequence; see {@link freePort}. */
export async function freePorts(count: number, host: string = LOOPBACK): Promise<readonly number[]> {
  const first =
    count === 1 ? randomInt(LOWEST, LOWEST_OF_SEVERAL) : randomInt(LOWEST_OF_SEVERAL, HIGHEST - count);
  const ports = Array.from({ length: count }, (_, index) => first + index);
  const free = await Promise.all(ports.map((port) => isFree(port, host)));
  return free.every(Boolean) ? ports : freePorts(count, host);
}

async function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer();
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error; // node:net throws nothing else
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
