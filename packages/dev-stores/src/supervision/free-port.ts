import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what systems assign by themselves (from 32768 on Linux): no connection gets one of these by chance before it is used. */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/**
 * A TCP port that is free on the loopback address now, for a server that can't choose one itself. Another process may take it
 * first: the caller must expect that.
 */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1); // as many as are wanted
  return port;
}

/** As many free ports as wanted, in sequence; see {@link freePort}. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const first = randomInt(LOWEST, HIGHEST - count);
  const ports = Array.from({ length: count }, (_, index) => first + index);
  const free = await Promise.all(ports.map(isFree));
  return free.every(Boolean) ? ports : freePorts(count);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
