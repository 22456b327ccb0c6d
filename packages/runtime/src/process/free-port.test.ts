import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePort, freePorts, probePort } from './free-port.ts';

it('freePorts gives ports in sequence that can be listened on at once, below those that systems assign', async () => {
  const ports = await freePorts(10);
  expect(ports).toEqual(ports.map((_, index) => (ports[0] ?? 0) + index));
  for (const port of [...ports, await freePort()]) {
    expect(port).toBeGreaterThanOrEqual(20_000);
    expect(port).toBeLessThan(32_000);
  }
  const servers = ports.map((port) => createServer().listen(port, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
});

it('freePort is of the host that is asked for, and says so where that is none of this machine', async () => {
  const server = createServer().listen(await freePort('0.0.0.0'), '0.0.0.0');
  await once(server, 'listening');
  server.close();
  await expect(freePort('192.0.2.1')).rejects.toThrow('EADDRNOTAVAIL');
});

it('probePort says why a port can not be had', async () => {
  const port = await freePort();
  expect(await probePort(port)).toBeUndefined();
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  expect(await probePort(port)).toBe('EADDRINUSE');
  await once(server.close(), 'close');
  expect(await probePort(port)).toBeUndefined();
  expect(await probePort(port, '192.0.2.1')).toBe('EADDRNOTAVAIL');
});

/** At random, some of so many would be equal, and some of them those of another process. */
const MANY = 300;
const OTHER = `
  import { freePort } from ${JSON.stringify(new URL('free-port.ts', import.meta.url).href)};
  const ports = [];
  for (let count = 0; count < ${MANY}; count += 1) ports.push(await freePort());
  process.stdout.write(JSON.stringify(ports));
`;

it('freePort gives a port once, in this process and to others, though none listens on it', async () => {
  const ports = new Set<number>();
  for (let count = 0; count < MANY; count += 1) ports.add(await freePort());
  expect(ports.size).toBe(MANY);
  const others = JSON.parse(await printed(OTHER)) as readonly number[];
  expect(others).toHaveLength(MANY);
  expect(others.filter((port) => ports.has(port))).toEqual([]);
});

/** What a process prints, which ends by itself although it has ports. */
async function printed(program: string): Promise<string> {
  const child = spawn(process.execPath, [
    '--import',
    import.meta.resolve('tsx'),
    '--input-type=module',
    '-e',
    program,
  ]);
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(child, 'close');
  return text;
}
