// What the least program for this one topic costs: one subscription upstream, one fetch for each event, one message for each client.
// Argument 2: the port; 3: the subgraphs as JSON, name → URL.
import { createServer } from 'node:http';
import process from 'node:process';
import { createClient } from 'graphql-ws';
import { request } from 'undici';
import WebSocket, { WebSocketServer } from 'ws';

const [, port, subgraphs] = process.argv.slice(2);
const { topic, authors } = JSON.parse(subgraphs);
const query =
  'query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on User { name role } } }';

async function complete({ postCreated: { author, ...post } }) {
  const { body } = await request(authors, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { representations: [{ __typename: 'User', id: author.id }] } }),
  });
  const { data } = await body.json();
  return JSON.stringify({
    data: { postCreated: { ...post, author: { id: author.id, ...data._entities[0] } } },
  });
}

const subscribers = new Map();

async function deliver(event) {
  const payload = await complete(event);
  for (const [socket, id] of subscribers) socket.send(`{"id":"${id}","type":"next","payload":${payload}}`);
}

const server = createServer((_request, response) => response.end('{"data":{"__typename":"Query"}}'));
const sockets = new WebSocketServer({ server, path: '/graphql', perMessageDeflate: false });
sockets.on('connection', (socket) => {
  socket.on('message', (text) => {
    const { type, id } = JSON.parse(text);
    if (type === 'connection_init') socket.send('{"type":"connection_ack"}');
    else if (type === 'subscribe') subscribers.set(socket, id);
  });
  socket.on('close', () => subscribers.delete(socket));
});
createClient({ url: topic.replace('http', 'ws'), webSocketImpl: WebSocket, lazy: false }).subscribe(
  { query: 'subscription { postCreated { id title author { __typename id } } }' },
  {
    next: ({ data }) => void deliver(data),
    error: (error) => process.stderr.write(`${String(error)}\n`),
    complete: () => undefined,
  },
);
server.listen(Number(port), '127.0.0.1');
