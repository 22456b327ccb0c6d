import { appendFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { gql } from 'graphql-tag';
import { FEDERATION } from '../federation.ts';
import { startSubgraphServer } from '../subgraph-server.ts';
import type { Behaviour, Listening } from './messages.ts';

// A subgraph in a process of its own, that can be killed, stopped, and made to misbehave. What its mutations did is in the
// file that its second argument names, a line each, so that it outlives the process.
const [port = '0', journal = ''] = process.argv.slice(2);

/** Its schema. */
const typeDefs = gql`
  ${FEDERATION}
  type Mutation {
    restock(token: String!): String
  }
  type Item @key(fields: "id") {
    id: ID!
    stock: Int
  }
`;

const schema = buildSubgraphSchema({
  typeDefs,
  resolvers: {
    Mutation: {
      restock(_source: unknown, { token }: { readonly token: string }) {
        appendFileSync(journal, `${token}\n`);
        return token;
      },
    },
    Item: {
      __resolveReference: (reference: { readonly id: string }) => reference,
      stock: ({ id }: { readonly id: string }) => Number(id) * 10,
    },
  },
});

/** S-110, S-111, S-038: what is no response, with its status. Few of them look like a subgraph that is down. */
const GARBAGE: readonly (readonly [status: number, body: string])[] = [
  [200, '{"data": {"_entities": [{"stock"'],
  [200, ''],
  [200, 'null'],
  [200, '[]'],
  [200, '{}'],
  [500, '<html><body>Internal Server Error</body></html>'],
  [200, '{"data":null,"errors":null}'],
  [200, '{"data":{}}'],
  [200, '{"data":{"_entities":[]}}'],
  [200, '{"data":{"_entities":[{"stock":1},{"stock":2}]}}'],
  [204, ''],
  [200, '{"data":{"_entities":[{"__typename":"Nothing","stock":10}]}}'],
  [200, '{"data":{"_entities":[{"stock":[10]}]}}'],
  [
    200,
    '{"__proto__":{"polluted":1},"data":{"__proto__":{"polluted":1},"_entities":[{"__proto__":{"polluted":1}}]}}',
  ],
  [200, '{"data":{"_entities":[{"constructor":{"prototype":{"polluted":1}}}]}}'],
];

let answered = 0;

function writeGarbage(response: ServerResponse): void {
  const [status, body] = GARBAGE[answered++ % GARBAGE.length] ?? [200, ''];
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(body);
}

let behaviour: Behaviour = { kind: 'good' };
process.on('message', (message: Behaviour) => (behaviour = message));
process.on('disconnect', () => process.exit(0));

const server = await startSubgraphServer({ schema, port: Number(port) });
server.intercept((_request, response) => misbehave(response, behaviour));
const listening: Listening = { port: Number(new URL(server.url).port) };
process.send?.(listening);

/** @returns whether the response is given */
async function misbehave(response: ServerResponse, how: Behaviour): Promise<boolean> {
  server.requests.length = 0;
  switch (how.kind) {
    case 'good':
      return false;
    case 'late':
      await sleep(how.ms);
      return false;
    case 'garbage':
      writeGarbage(response);
      return true;
    case 'wrong-types':
      response.end('{"data":{"_entities":[{"stock":"plenty"},7,null,{"stock":{}}]},"errors":"none"}');
      return true;
    case 'huge':
      response.setHeader('content-length', how.bytes);
      await flood(response);
      return true;
    case 'endless':
      await flood(response);
      return true;
    case 'drip':
      await drip(response);
      return true;
    default:
      return how satisfies never;
  }
}

async function flood(response: ServerResponse): Promise<void> {
  const chunk = Buffer.alloc(65_536, ' ');
  while (!response.destroyed) {
    if (!response.write(chunk)) await sleep(1);
  }
}

async function drip(response: ServerResponse): Promise<void> {
  while (!response.destroyed) {
    response.write(' ');
    await sleep(100);
  }
}
