import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { NewsSubgraph } from '../../src/testing/event-graph.ts';

/** What became of the subscriptions. */
export interface SubscriberReport {
  /** Subscriptions that have ended, with an error or without. */
  readonly dropped: number;
  /** Events that were published. */
  readonly events: number;
  /** Events that some subscription did not get, summed over the subscriptions. */
  readonly lost: number;
  readonly repeatedEvents: number;
}

/** Clients that listen, and a subgraph that publishes something now and then. */
export interface Subscribers {
  /** Publishes no more, waits for what is on its way, and returns what arrived. */
  report(): Promise<SubscriberReport>;
  close(): Promise<void>;
}

const PER_SOCKET = 10;
const PUBLISH_EVERY_MS = 500;
const ON_THEIR_WAY_MS = 2_000;
const OPENED_WITHIN_MS = 30_000;
const QUERY = 'subscription { published { id author { name } } }';

/** Opens subscriptions over graphql-transport-ws, ten on a socket, and begins to publish. */
export async function openSubscribers(url: string, news: NewsSubgraph, count: number): Promise<Subscribers> {
  const received: number[][] = Array.from({ length: count }, () => []);
  const ended = new Set<number>();
  const sockets = await Promise.all(
    Array.from({ length: Math.ceil(count / PER_SOCKET) }, (_, index) => {
      const first = index * PER_SOCKET;
      return openSocket(url, Math.min(PER_SOCKET, count - first), {
        next: (number, event) => received[first + number]?.push(event),
        end: (number) => ended.add(first + number),
      });
    }),
  );
  let published = 0;
  const publish = (): void => news.publish({ id: String((published += 1)), author: 'user-1' });
  await untilHeard(received, publish);
  const before = published;
  for (const events of received) events.length = 0;
  const clock = setInterval(publish, PUBLISH_EVERY_MS);
  return {
    async report() {
      clearInterval(clock);
      await sleep(ON_THEIR_WAY_MS);
      const events = published - before;
      const unique = received.map((numbers) => new Set(numbers.filter((number) => number > before)).size);
      const all = received.reduce(
        (sum, numbers) => sum + numbers.filter((number) => number > before).length,
        0,
      );
      const arrived = unique.reduce((sum, size) => sum + size, 0);
      return { dropped: ended.size, events, lost: events * count - arrived, repeatedEvents: all - arrived };
    },
    async close() {
      clearInterval(clock);
      for (const socket of sockets) socket.terminate();
      const closing = sockets.filter(({ readyState }) => readyState !== WebSocket.CLOSED);
      await Promise.all(closing.map((socket) => once(socket, 'close')));
    },
  };
}

/** A subscription is open when it has got something. */
async function untilHeard(received: readonly number[][], publish: () => void): Promise<void> {
  const deadline = Date.now() + OPENED_WITHIN_MS;
  while (received.some((events) => events.length === 0)) {
    if (Date.now() > deadline) throw new Error('Not all subscriptions were opened.');
    publish();
    await sleep(100);
  }
  await sleep(ON_THEIR_WAY_MS);
}

interface Listener {
  next(subscription: number, event: number): void;
  end(subscription: number): void;
}

interface Frame {
  readonly type: string;
  readonly id?: string;
  readonly payload?: {
    readonly data?: { readonly published: { readonly id: string; readonly author: unknown } };
  };
}

async function openSocket(url: string, count: number, listener: Listener): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  socket.on('error', () => undefined); // a close follows
  socket.on('close', () => {
    for (let number = 0; number < count; number += 1) listener.end(number);
  });
  socket.on('message', (data: Buffer) => {
    const { type, id, payload } = JSON.parse(data.toString('utf8')) as Frame;
    const number = Number(id);
    if (type === 'ping') socket.send('{"type":"pong"}');
    else if (type === 'next' && payload?.data?.published.author)
      listener.next(number, Number(payload.data.published.id));
    else if (type === 'error' || type === 'complete' || type === 'next') listener.end(number);
    else if (type === 'connection_ack') subscribe(socket, count);
  });
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  return socket;
}

function subscribe(socket: WebSocket, count: number): void {
  for (let number = 0; number < count; number += 1)
    socket.send(JSON.stringify({ type: 'subscribe', id: String(number), payload: { query: QUERY } }));
}
