import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gql } from 'graphql-tag';
import { startSubgraph, type SubgraphServer } from '../../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

let subgraph: SubgraphServer;
let gateway: TestGateway;

beforeAll(async () => {
  subgraph = await startSubgraph({
    name: 'one',
    typeDefs: gql`
      type Query {
        one: Int
      }
    `,
    resolvers: { Query: { one: () => 1 } },
  });
  gateway = await startTestGateway({ subgraphs: [subgraph] });
});
afterAll(async () => {
  await gateway.close();
  await subgraph.close();
});

/** What RFC 6455 §5 does not allow, and what is longer than the gateway takes. */
const FRAMES: Readonly<Record<string, readonly number[]>> = {
  'reserved bits': [0xf1, 0x82, 0, 0, 0, 0, 0x41, 0x42],
  'an unknown opcode': [0x83, 0x82, 0, 0, 0, 0, 0x41, 0x42],
  'no mask': [0x81, 0x02, 0x41, 0x42],
  'a continuation of nothing': [0x80, 0x82, 0, 0, 0, 0, 0x41, 0x42],
  'text that is no UTF-8': [0x81, 0x82, 0, 0, 0, 0, 0xff, 0xff],
  'a ping in pieces': [0x09, 0x82, 0, 0, 0, 0, 0x41, 0x42],
  'a code of closing that there is not': [0x88, 0x82, 0, 0, 0, 0, 0, 1],
  'a message that is too long': [0x81, 0xff, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0],
  'a length beyond all numbers': [0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0],
};
const PROTOCOLS = [undefined, 'graphql-ws', 'graphql-transport-ws'];
const CASES = Object.keys(FRAMES).flatMap((frame) => PROTOCOLS.map((protocol) => ({ frame, protocol })));

async function open(protocol: string | undefined): Promise<Socket> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  const lines = ['GET /graphql HTTP/1.1', 'Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket'];
  lines.push('Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==');
  if (protocol !== undefined) lines.push(`Sec-WebSocket-Protocol: ${protocol}`);
  socket.write([...lines, '', ''].join('\r\n'));
  await once(socket, 'data');
  return socket;
}

describe('G9: a frame that is no frame', () => {
  it.each(CASES)(
    'ends the connection and not the process: $frame, $protocol',
    async ({ frame, protocol }) => {
      const socket = await open(protocol);
      socket.write(Buffer.from(FRAMES[frame] ?? []));
      await once(socket.resume(), 'close');
      expect((await gateway.post({ query: '{ one }' })).body).toEqual({ data: { one: 1 } });
    },
  );
});
