import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import WebSocket from 'ws';

/** Callers that differ: nothing is resolved for two of them together. So many that a round takes processor time enough. */
const CLIENTS = 200;
const INTERVAL_MS = 100;
const QUERY = `query @live(throttle: ${INTERVAL_MS}) { me { id name } }`;

/** How long ticks are counted in one round. */
const ROUND_MS = 1_000;

/** Clients with a live query each, over WebSocket. What they ask for does not change: they hear of it once. */
export class LiveClients {
  readonly #sockets: WebSocket[] = [];

  /** Connects, and resolves when each has heard. */
  async join(url: string): Promise<void> {
    for (let client = 0; client < CLIENTS; client += 1)
      this.#sockets.push(await connect(url, `Bearer client-${client}`));
  }

  /** @returns how often the queries were resolved in one round, by what the subgraphs have counted */
  async listen(countCalls: () => Promise<number>): Promise<number> {
    const before = await countCalls();
    await pause(ROUND_MS);
    return (await countCalls()) - before;
  }

  leave(): void {
    for (const socket of this.#sockets) socket.terminate();
    this.#sockets.length = 0;
  }
}

async function connect(url: string, authorization: string): Promise<WebSocket> {
  const socket = new WebSocket(url, 'graphql-transport-ws', { headers: { authorization } });
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await once(socket, 'message');
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: QUERY } }));
  const [heard] = (await once(socket, 'message')) as [Buffer]; // as long as binaryType is not set
  if (!heard.includes('"next"')) throw new Error(`A live query was answered by ${heard.toString()}`);
  socket.on('message', (message: Buffer) => {
    if (message.includes('"ping"')) socket.send('{"type":"pong"}');
  });
  return socket;
}
