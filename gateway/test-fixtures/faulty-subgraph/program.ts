import { appendFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { parse } from 'graphql';
import { FEDERATION } from '../federation.ts';
import { startSubgraphServer } from '../subgraph-server.ts';
import type { Behaviour, Listening } from './messages.ts';

// A subgraph in a process of its own, that can be killed, stopped, and told to misbehave. What its mutations did is in the
// file that its second argument names, a line each, so that it outlives the process.
const [port = '0', journal = ''] = process.argv.slice(2);

/** Its schema. */
const typeDefs = parse(`${FEDERATION}
  type Mutation { restock(token: String!): String }
  type Item @key(fields: "id") { id: ID! stock: Int }
`);

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

let behaviour: Behaviour = { kind: 'good' };
process.on('message', (message: Behaviour) => (behaviour = message));
process.on('disconnect', () => process.exit(0));

const server = await startSubgraphServer({ schema, port: Number(port) });
server.intercept((_request, response) => misbehave(response, behaviour));
const listening: Listening = { port: Number(new URL(server.url).port) };
process.send?.(listening);

/** @returns whether the answer is given */
async function misbehave(response: ServerResponse, how: Behaviour): Promise<boolean> {
  server.requests.length = 0;
  switch (how.kind) {
    case 'good':
      return false;
    case 'late':
      await sleep(how.ms);
      return false;
    case 'garbage':
      response.end('{"data": {"_entities": [{"stock"');
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
