import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readPlatformConfig } from './platform-config.ts';
import { describeSharedPorts, PortInUse, settlePorts } from './ports.ts';

const anyPorts = {
  GATEWAY_PORT: '0',
  AUTH_PORT: '0',
  USERS_PORT: '0',
  POSTS_PORT: '0',
  COMMENTS_PORT: '0',
  SEARCH_PORT: '0',
  WEB_PORT: '0',
  DOCS_PORT: '0',
  OPERATIONS_PORT: '0',
};

describe('settlePorts', () => {
  it('gives every deployable that may have any port one of its own', async () => {
    const ports = Object.values(await settlePorts(readPlatformConfig(anyPorts)));
    expect(ports.every((port) => port > 0)).toBe(true);
    expect(new Set(ports).size).toBe(8);
  });

  it('names all ports that are taken, and the variables that move them', async () => {
    const [one, other] = [await listen(), await listen()];
    const config = readPlatformConfig({ ...anyPorts, POSTS_PORT: `${one}`, OPERATIONS_PORT: `${other}` });
    const settling = settlePorts(config);
    await expect(settling).rejects.toThrow(PortInUse);
    await expect(settling).rejects.toThrow(
      `Port ${one} is in use by another program. Stop it, or set POSTS_PORT to another port.\n` +
        `Port ${other} is in use by another program. Stop it, or set OPERATIONS_PORT to another port.`,
    );
  });
});

describe('WEB_PORT', () => {
  it.each([
    [{}, 4020],
    [{ WEB_PORT: '5020' }, 5020],
    [{ NODE_ENV: 'production' }, 0],
    [{ HOST: '0.0.0.0' }, 0],
    [{ NODE_ENV: 'production', WEB_PORT: '5020' }, 5020],
  ])('is wanted where the sample application is served: %j', (environment, port) => {
    expect(readPlatformConfig(environment).WEB_PORT).toBe(port);
  });
});

describe('describeSharedPorts', () => {
  it('reports ports that two variables claim', () => {
    const config = readPlatformConfig({ POSTS_PORT: '4000', USERS_PORT: '9464' });
    expect(describeSharedPorts(config)).toEqual([
      'GATEWAY_PORT and POSTS_PORT are both 4000; each needs a port of its own.',
      'OPERATIONS_PORT and USERS_PORT are both 9464; each needs a port of its own.',
    ]);
  });

  it('has nothing against 0 for all, nor against the defaults', () => {
    expect(describeSharedPorts(readPlatformConfig(anyPorts))).toEqual([]);
    expect(describeSharedPorts(readPlatformConfig({}))).toEqual([]);
  });
});

async function listen(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
