import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what systems hand out by themselves (from 32768 on Linux): no one gets one of these by chance before it is used. */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** As many free ports as wanted, one behind the other. */
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
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
