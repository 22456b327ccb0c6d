import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what systems assign by themselves (from 32768 on Linux): no connection gets one of these by chance before it is used. */
const LOWEST = 20_000;
const HIGHEST = 32_000;
/** From here on for several in sequence, of which the last is taken long after the first: who wants one port stays below. */
const LOWEST_OF_SEVERAL = 26_000;
const LOOPBACK = '127.0.0.1';
/** At random: where one port in a hundred is free, so many miss it once in twenty thousand times. */
const MAX_TRIES = 1_000;

/**
 * A TCP port that is free now, for a server that can't choose one itself, or must know it before it listens. As long as this process
 * runs, no process of this machine that asks here is given it again, at this address or at all addresses; one that does not ask may take it.
 *
 * @throws Error when the host is no address of this machine, or has no free port
 */
export async function freePort(host: string = LOOPBACK): Promise<number> {
  const [port = 0] = await freePorts(1, host); // as many as are wanted
  return port;
}

/** As many free ports as wanted, in sequence; see {@link freePort}. */
export async function freePorts(count: number, host: string = LOOPBACK): Promise<readonly number[]> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const first =
      count === 1 ? randomInt(LOWEST, LOWEST_OF_SEVERAL) : randomInt(LOWEST_OF_SEVERAL, HIGHEST - count);
    const ports = Array.from({ length: count }, (_, index) => first + index);
    if (await reserve(ports, host)) return ports;
  }
  throw new Error(
    `No free ports were found at ${host} in ${MAX_TRIES} tries between ${LOWEST} and ${HIGHEST}.`,
  );
}

/** All of them, or none. */
async function reserve(ports: readonly number[], host: string): Promise<boolean> {
  const reservations: Socket[] = [];
  let isDone = false;
  try {
    for (const port of ports) {
      const reservation = await reservePort(port, host);
      if (!reservation) return false;
      reservations.push(reservation);
      if (!(await isFree(port, host))) return false;
    }
    isDone = true;
    return true;
  } finally {
    if (!isDone) for (const socket of reservations) socket.close();
  }
}

/** A UDP port of the same number: it belongs to this process until that ends, however it ends. */
async function reservePort(port: number, host: string): Promise<Socket | undefined> {
  const { address, family } = await lookup(host);
  const socket = createSocket(family === 6 ? 'udp6' : 'udp4').unref();
  try {
    await once(socket.bind({ port, address, exclusive: true }), 'listening');
    return socket;
  } catch (error) {
    socket.close();
    return ignoreIfInUse(error);
  }
}

async function isFree(port: number, host: string): Promise<boolean> {
  const problem = await tryToListen(port, host);
  if (problem) ignoreIfInUse(problem);
  return problem === undefined;
}

/**
 * Whether a TCP port can be had at this moment.
 *
 * @param host Default: the loopback address
 * @returns the error code of the system, such as EADDRINUSE or EACCES; undefined when the port can be had
 */
export async function probePort(port: number, host: string = LOOPBACK): Promise<string | undefined> {
  return (await tryToListen(port, host))?.code;
}

/** @returns why it can't; undefined when it could */
async function tryToListen(port: number, host: string): Promise<NodeJS.ErrnoException | undefined> {
  const server = createServer();
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    return error as NodeJS.ErrnoException; // servers emit nothing else
  }
  server.close();
  await once(server, 'close');
  return undefined;
}

function ignoreIfInUse(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error; // sockets throw nothing else
}
