import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { CrowdReport, CrowdRequest } from './messages.ts';

// Clients that subscribe over graphql-transport-ws, each on a connection of its own, in a process of their own: what they
// cost is not counted for anybody else. The first argument is the address of the gateway.
const [, , url = ''] = process.argv;
const SUBSCRIBE = JSON.stringify({
  id: '1',
  type: 'subscribe',
  payload: { query: 'subscription { published { id author { name } } }' },
});
const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 5_000;

interface Client {
  socket: WebSocket | undefined;
  isAcknowledged: boolean;
  heard: number;
}

const clients: Client[] = [];
let closed = 0;
let repeated = 0;
let newest = 0;

/** Tries until it is let in, as clients do: with a pause that grows and differs. */
async function connect(client: Client): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await tryToConnect(client);
    } catch {
      repeated += 1;
      const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
      await sleep(pauseMs * (0.5 + Math.random() / 2));
    }
  }
}

async function tryToConnect(client: Client): Promise<void> {
  const socket = new WebSocket(url, 'graphql-transport-ws', { perMessageDeflate: false });
  await once(socket, 'open');
  client.socket = socket;
  socket.on('error', () => undefined); // a close follows
  socket.on('close', () => (closed += client.socket === socket ? 1 : 0));
  socket.on('message', (data: Buffer) => hear(client, data.toString('latin1')));
  socket.send('{"type":"connection_init"}');
}

function hear(client: Client, text: string): void {
  const number = /"published":\{"id":"(\d+)"/.exec(text)?.[1];
  if (number !== undefined) {
    client.heard = Number(number);
    newest = Math.max(newest, client.heard);
  } else if (text.includes('connection_ack')) {
    client.isAcknowledged = true;
    client.socket?.send(SUBSCRIBE);
  } else closed += 1; // an operation that was rejected is as good as closed
}

async function join(count: number, atOnce: number): Promise<void> {
  for (let joined = 0; joined < count; joined += atOnce) {
    const group = Array.from({ length: Math.min(atOnce, count - joined) }, createClient);
    clients.push(...group);
    await Promise.all(group.map(connect));
  }
}

function createClient(): Client {
  return { socket: undefined, isAcknowledged: false, heard: 0 };
}

async function reconnect(count: number): Promise<void> {
  const leaving = clients.slice(0, count);
  for (const client of leaving) {
    client.socket?.terminate();
    Object.assign(client, createClient());
  }
  await Promise.all(leaving.map(connect));
}

function report(): CrowdReport {
  const open = clients.filter(
    ({ socket, isAcknowledged }) => isAcknowledged && socket?.readyState === WebSocket.OPEN,
  );
  return {
    open: open.length,
    closed,
    repeated,
    hearing: clients.filter(({ heard }) => heard === newest && newest > 0).length,
    newest,
  };
}

async function obey(request: CrowdRequest): Promise<void> {
  if (request.kind === 'join') await join(request.clients, request.atOnce);
  if (request.kind === 'reconnect') await reconnect(request.clients);
  process.send?.(report());
}

process.on('disconnect', () => process.exit(0));
process.on('message', (request: CrowdRequest) => void obey(request));
