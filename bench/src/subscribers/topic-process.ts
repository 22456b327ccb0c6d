/** Hosts a subgraph with a topic, and one that knows the authors of its posts, in a process of their own. Driven by IPC. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { graphql } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import { AUTHORS, TOPIC, type Asked, type Counted } from './topic-graph.ts';

const waiting = new Set<(post: unknown) => void>();
const counted = { subscriptions: 0, fetches: 0 };

async function* posts(): AsyncGenerator {
  counted.subscriptions += 1;
  const queue: unknown[] = [];
  let wake: () => void = () => undefined;
  waiting.add((post) => {
    queue.push(post);
    wake();
  });
  for (;;) {
    while (queue.length > 0) yield { postCreated: queue.shift() };
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

const topic = buildSubgraphSchema({
  typeDefs: TOPIC,
  resolvers: { Subscription: { postCreated: { subscribe: posts } } },
});
const authors = buildSubgraphSchema({
  typeDefs: AUTHORS,
  resolvers: {
    User: { __resolveReference: ({ id }: { id: string }) => ({ id, name: `Author ${id}`, role: 'EDITOR' }) },
  },
});

const topicServer = createServer();
useServer({ schema: topic }, new WebSocketServer({ server: topicServer }));
const authorServer = createServer((request, response) => {
  void readText(request).then(async (text) => {
    counted.fetches += 1;
    const { query, variables } = JSON.parse(text) as { query: string; variables: Record<string, unknown> };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify(await graphql({ schema: authors, source: query, variableValues: variables })),
    );
  });
});
const [topicUrl, authorUrl] = await Promise.all([topicServer, authorServer].map(listen));
process.send?.({ kind: 'ready', urls: { topic: topicUrl, authors: authorUrl } });
process.on('disconnect', () => process.exit());
process.on('message', (asked: Asked) => {
  if (asked.kind === 'publish') {
    const { number } = asked;
    for (const resolve of waiting) {
      resolve({
        id: `post-${number}`,
        title: `Title ${number}`,
        author: { __typename: 'User', id: `user-${number % 7}` },
      });
    }
  } else {
    const result: Counted = { kind: 'counted', ...counted };
    process.send?.(result);
  }
});

function listen(server: ReturnType<typeof createServer>): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo; // it listens on TCP
      resolve(`http://127.0.0.1:${port}/graphql`);
    });
  });
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set
  return Buffer.concat(chunks).toString('utf8');
}
