import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePort, freePorts } from './free-port.ts';

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
