import { once } from 'node:events';
import { WebSocket } from 'ws';
import { addressOf } from '../ask-from.ts';
import type { SubscribeRequest } from './messages.ts';
import { AUTHOR_NAME } from './plain-news.ts';

/** Topics of one connection: fewer than one may have open. */
const TOPICS_PER_SOCKET = 40;
/** What only a whole event has: failed ones are sent as well. */
const WHOLE = `"author":{"name":"${AUTHOR_NAME}"}`;

/** Clients of a gateway, each with subscriptions to some topics. */
export class TopicSubscribers {
  #delivered = 0;

  /** Events that they were sent whole. */
  get delivered(): number {
    return this.#delivered;
  }

  /** Each connection comes from a network of its own, so that no caller's share is met. */
  async open({ url, topics, firstNetwork }: SubscribeRequest): Promise<void> {
    for (let first = 0; first < topics; first += TOPICS_PER_SOCKET) {
      const localAddress = addressOf(firstNetwork + first / TOPICS_PER_SOCKET);
      const socket = await this.#connect(url, localAddress);
      for (let topic = first; topic < Math.min(topics, first + TOPICS_PER_SOCKET); topic += 1)
        socket.send(subscribeMessage(topic));
    }
  }

  async #connect(url: string, localAddress: string): Promise<WebSocket> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
      localAddress,
    });
    await once(socket, 'open');
    socket.send('{"type":"connection_init"}');
    await once(socket, 'message'); // it is acknowledged
    socket.on('message', (data: Buffer) => {
      if (data.includes(WHOLE)) this.#delivered += 1;
    });
    return socket;
  }
}

function subscribeMessage(topic: number): string {
  const query = `subscription { published(topic: "topic-${topic}") { id author { name } } }`;
  return JSON.stringify({ type: 'subscribe', id: String(topic), payload: { query } });
}
