import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { programArguments } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveRegistry } from './serve-registry.ts';
import { pageCommands } from '../../testing/page-commands.ts';
import { AUDIENCE, RegistryStage } from '../../testing/registry-stage.ts';

let stage: RegistryStage;

beforeAll(async () => {
  stage = await RegistryStage.start();
});

afterAll(() => stage.close());

/** A door to a PostgreSQL whose connections may be lost without a word. */
async function startDoor(connectionString: string) {
  const target = new URL(connectionString);
  const sockets: Socket[] = [];
  const door = createServer((client) => {
    const server = connect(Number(target.port || 5432), target.hostname);
    for (const socket of [client, server]) socket.on('error', () => undefined);
    client.pipe(server).pipe(client);
    sockets.push(client, server);
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  const url = new URL(connectionString);
  url.hostname = '127.0.0.1';
  url.port = String((door.address() as AddressInfo).port); // it listens on TCP
  return {
    url: url.href,
    lose: () => sockets.forEach((socket) => socket.unpipe()),
    close: () => {
      sockets.forEach((socket) => socket.destroy());
      door.close();
    },
  };
}

describe('A registry that serves', () => {
  it('gives up a connection to PostgreSQL that was lost without a word, and goes on with another', async () => {
    const { DATABASE_URL = '' } = stage.serverEnvironment;
    const door = await startDoor(DATABASE_URL);
    const behind = await serveRegistry({ port: '0' }, { ...stage.serverEnvironment, DATABASE_URL: door.url });
    const headers = { authorization: `Bearer ${await stage.tokenOf('reader')}` };
    const read = async (): Promise<number> =>
      (await fetch(`${behind.url}/v1/logs`, { headers, signal: AbortSignal.timeout(25_000) })).status;
    expect(await read()).toBe(200);
    door.lose();
    expect([await read(), await read()]).toEqual([503, 200]);
    door.close();
    await behind.close();
  });

  it('is started by the command of docs/operate-the-registry.md, with the variables of the page alone', async () => {
    const [command, ...more] = pageCommands('operate-the-registry.md', 'long-running');
    const words = (command?.words ?? []).map((word) =>
      word.replace('https://auth.example', stage.serverEnvironment['TRELLIS_REGISTRY_ISSUER'] ?? ''),
    );
    expect([words.includes(AUDIENCE), more]).toEqual([true, []]);
    const named = [
      ...(command?.variables ?? []),
      'TRELLIS_REGISTRY_CLIENT_ID',
      'TRELLIS_REGISTRY_CLIENT_SECRET',
    ];
    const variables = Object.fromEntries(named.map((name) => [name, stage.serverEnvironment[name]]));
    const program = programArguments(fileURLToPath(new URL('../main.ts', import.meta.url)));
    const served = spawn(process.execPath, [...program, ...words, '--port', '0'], {
      env: { PATH: process.env['PATH'], ...variables },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(served, 'close');
    let out = '';
    served.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    const address = (): string => /The registry listens at (\S+)\.\n/.exec(out)?.[1] ?? '';
    await expect.poll(address).toMatch(/^http/);
    const headers = { authorization: `Bearer ${await stage.tokenOf('reader')}` };
    expect((await fetch(`${address()}/v1/logs`, { headers })).status).toBe(200);
    served.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
  });

  it('logs an error that nothing handles as a record, and ends with 1', async () => {
    const fault = "process.on('SIGUSR2', () => void Promise.reject(new Error('a fault')))";
    const program = fileURLToPath(new URL('../main.ts', import.meta.url));
    const options = ['--conditions=trellis-source', '--import', import.meta.resolve('tsx')];
    const command = ['--import', `data:text/javascript,${encodeURIComponent(fault)}`, program];
    const served = spawn(process.execPath, [...options, ...command, 'registry', 'serve', '--port', '0'], {
      env: { ...process.env, ...stage.serverEnvironment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [error, ended] = [text(served.stderr), once(served, 'close')];
    let out = '';
    for await (const chunk of served.stdout) {
      out += String(chunk);
      if (!out.includes('uncaught') && out.includes('The registry listens at')) served.kill('SIGUSR2');
    }
    expect([(await ended)[0], await error]).toEqual([1, '']);
    expect(out).toMatch(/"origin":"unhandledRejection".*"msg":"uncaught error; ending the process"/);
  });
});
