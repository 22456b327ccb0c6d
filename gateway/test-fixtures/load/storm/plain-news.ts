import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gql } from 'graphql-tag';
import { WebSocketServer, type WebSocket } from 'ws';
import type { StormSubgraph } from './messages.ts';

/** A news desk whose subgraphs do next to nothing for an event: what they cost would delay the queries that are measured. */
export interface PlainNews {
  readonly subgraphs: readonly StormSubgraph[];
  /** Sends an event to all who have subscribed to the topic. */
  publish(topic: string, id: string): void;
}

const NEWS = gql`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
  type Query {
    latest: News
  }
  type Subscription {
    published(topic: String!): News!
  }
  type News {
    id: ID!
    author: User
  }
  type User @key(fields: "id", resolvable: false) {
    id: ID!
  }
`;
const PEOPLE = gql`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
  type Query {
    someone: User
  }
  type User @key(fields: "id") {
    id: ID!
    name: String!
  }
`;
const AUTHOR = { __typename: 'User', id: 'ada' };
/** Of each event. */
export const AUTHOR_NAME = 'User ada';
const PEOPLE_RESPONSE = JSON.stringify({ data: { _entities: [{ __typename: 'User', name: AUTHOR_NAME }] } });

/** Starts both subgraphs on free ports. */
export async function startPlainNews(): Promise<PlainNews> {
  const streams = new StreamsByTopic();
  const news = createServer((_request, response) => response.writeHead(404).end());
  new WebSocketServer({ server: news, path: '/graphql' }).on('connection', (socket) => streams.serve(socket));
  const [newsUrl, peopleUrl] = await Promise.all([listen(news), listen(createServer(respondWithAuthor))]);
  return {
    subgraphs: [
      { name: 'news', url: newsUrl, typeDefs: NEWS },
      { name: 'people', url: peopleUrl, typeDefs: PEOPLE },
    ],
    publish: (topic, id) => streams.publish(topic, { data: { published: { id, author: AUTHOR } } }),
  };
}

const respondWithAuthor: RequestListener = (request, response) => {
  void text(request).then(() => response.setHeader('content-type', 'application/json').end(PEOPLE_RESPONSE));
};

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return `http://127.0.0.1:${port}/graphql`;
}

interface Message {
  readonly type: string;
  readonly id?: string;
  readonly payload?: { readonly query?: string; readonly variables?: unknown };
}

/** Speaks as much of graphql-transport-ws as a gateway needs. */
class StreamsByTopic {
  readonly #streams = new Map<string, { readonly socket: WebSocket; readonly id: string }[]>();

  serve(socket: WebSocket): void {
    socket.on('message', (data: Buffer) => {
      const { type, id, payload } = JSON.parse(data.toString()) as Message;
      if (type === 'connection_init') socket.send('{"type":"connection_ack"}');
      else if (type === 'ping') socket.send('{"type":"pong"}');
      else if (type === 'subscribe' && id !== undefined) this.#add(topicIn(payload), socket, id);
    });
  }

  publish(topic: string, payload: unknown): void {
    for (const { socket, id } of this.#streams.get(topic) ?? [])
      socket.send(JSON.stringify({ id, type: 'next', payload }));
  }

  #add(topic: string, socket: WebSocket, id: string): void {
    this.#streams.set(topic, [...(this.#streams.get(topic) ?? []), { socket, id }]);
  }
}

/** The topic that a subscription names, in its text or in a variable. */
function topicIn(payload: Message['payload']): string {
  const [topic] = /topic-\d+/.exec(JSON.stringify(payload)) ?? [];
  if (topic === undefined) throw new Error('No topic is named.');
  return topic;
}
