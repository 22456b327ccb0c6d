import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { connectRedis, type RedisConnection } from './connection.ts';
import { SentinelConnector } from './sentinel-connector.ts';

/** What a server replies to a command, in the protocol of Redis. */
type Respond = (command: readonly string[], socket: Socket) => string | Promise<string>;

const servers: Server[] = [];
const sockets = new Set<Socket>();
let connection: RedisConnection | undefined;

afterEach(() => {
  connection?.disconnect();
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

it('F-08 a failover reported while the connection asks a Sentinel for the master does not end the connection', async () => {
  const master = new Set<Socket>();
  const masterPort = await listen((command, socket) => {
    master.add(socket);
    return command[0] === 'info' ? bulk('role:master\r\n') : '+OK\r\n';
  });
  const address = list('127.0.0.1', String(masterPort));
  const subscribed = new Set<Socket>();
  const questions: ((reply: string) => void)[] = [];
  let answersAtOnce = true;
  const sentinelPort = await listen((command, socket) => {
    if (command[0] === 'subscribe') {
      subscribed.add(socket);
      return `>3\r\n${bulk('subscribe')}${bulk('+switch-master')}:1\r\n`;
    }
    if (command[1] !== 'get-master-addr-by-name') return list();
    return answersAtOnce ? address : new Promise((resolve) => void questions.push(resolve));
  });
  const opened = connectRedis({
    url: `redis+sentinel://127.0.0.1:${sentinelPort}/main`,
    name: 'test',
    onError: () => undefined,
  });
  connection = opened;
  await once(opened, 'ready');
  await expect.poll(() => [...subscribed]).toHaveLength(1);

  answersAtOnce = false;
  for (const socket of master) socket.destroy(); // the master is lost
  await expect.poll(() => questions).toHaveLength(1);
  const failover = list('message', '+switch-master', 'main 127.0.0.1 1 127.0.0.1 2').replace('*', '>');
  for (const listener of subscribed) {
    if (listener.writable) listener.write(failover);
    if (!listener.closed) await once(listener, 'close'); // the message has arrived, or the client listens no more
  }
  const outcome = new Promise((resolve) => {
    opened.once('ready', () => resolve('ready'));
    opened.once('end', () => resolve('end'));
  });
  for (const answer of questions) answer(address);
  expect(await outcome).toBe('ready');
});

it('F-08 a connection that is closed while it is opened subscribes to no Sentinel', async () => {
  const masterPort = await listen(() => '+OK\r\n');
  const sentinelPort = await listen((command) =>
    command[1] === 'get-master-addr-by-name' ? list('127.0.0.1', String(masterPort)) : list(),
  );
  const connector = new SentinelConnector({
    sentinels: [{ host: '127.0.0.1', port: sentinelPort }],
    name: 'main',
    role: 'master',
    failoverDetector: true,
  });
  const stream = await connector.connect(() => undefined);
  let isOpened = false; // the subscriptions begin then
  stream.once('connect', () => (isOpened = true));
  connector.disconnect();
  await once(stream, 'close');
  expect(isOpened).toBe(false);
});

/** Starts a server that speaks the protocol of Redis. @returns its port */
async function listen(respond: Respond): Promise<number> {
  const server = createServer((socket) => {
    sockets.add(socket);
    let replied = Promise.resolve();
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      for (const command of commandsIn(data.toString()))
        replied = replied.then(async () => void socket.write(await respond(command, socket)));
    });
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port; // it listens on TCP
}

/** Commands as the client writes them: lists of bulk strings without line breaks. */
function commandsIn(data: string): string[][] {
  const commands = data.split(/^\*\d+\r\n/m).filter((text) => text !== '');
  return commands.map((text) => text.split('\r\n').filter((line) => line !== '' && !line.startsWith('$')));
}

const bulk = (text: string): string => `$${text.length}\r\n${text}\r\n`;
const list = (...items: readonly string[]): string => `*${items.length}\r\n${items.map(bulk).join('')}`;
