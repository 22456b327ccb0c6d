import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gql } from 'graphql-tag';
import { startSubgraph, type SubgraphServer } from '../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

let respond: (response: ServerResponse) => void;
let odd: Server;
let good: SubgraphServer;
let gateway: TestGateway;

beforeAll(async () => {
  odd = createServer((request: IncomingMessage, response) => {
    request.resume();
    request.once('end', () => respond(response));
  });
  await new Promise<void>((resolve) => {
    odd.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(odd.address() as AddressInfo).port}/`; // it listens on TCP
  good = await startSubgraph({
    name: 'good',
    typeDefs: gql`
      type Query {
        good: String
      }
    `,
    resolvers: { Query: { good: () => 'as ever' } },
  });
  const oddDefinition = {
    name: 'odd',
    typeDefs: gql`
      type Query {
        odd: String
      }
    `,
    url,
  };
  gateway = await startTestGateway({ subgraphs: [good, { ...good, ...oddDefinition }] });
});
afterAll(async () => {
  await gateway.close();
  odd.closeAllConnections();
  odd.close();
  await good.close();
});

const QUERY = { query: '{ odd good }' };

describe('S-116 headers of a subgraph', () => {
  it('do not reach the client, cookies least of all', async () => {
    respond = (response) => {
      response.setHeader('set-cookie', ['session=stolen', 'session=twice']);
      response.setHeader('x-internal-host', 'pg-7');
      response.setHeader('access-control-allow-origin', '*');
      response.end('{"data":{"odd":"answered"}}');
    };
    const { body, headers } = await gateway.post(QUERY);
    expect(body).toEqual({ data: { odd: 'answered', good: 'as ever' } });
    for (const name of ['set-cookie', 'x-internal-host', 'access-control-allow-origin'])
      expect(headers.get(name)).toBeNull();
  });

  it('that are huge, or very many, are an error at its fields alone', async () => {
    const tooMuch = [
      (response: ServerResponse) => response.setHeader('x-huge', 'x'.repeat(1_000_000)),
      (response: ServerResponse) => {
        for (let index = 0; index < 20_000; index += 1) response.setHeader(`x-${index}`, 'x');
      },
    ];
    for (const add of tooMuch) {
      respond = (response) => {
        add(response);
        response.end('{"data":{"odd":"answered"}}');
      };
      const { body } = await gateway.post(QUERY);
      expect(body.data).toEqual({ odd: null, good: 'as ever' });
      expect(body.errors?.map(({ path }) => path)).toEqual([['odd']]);
    }
  });
});
