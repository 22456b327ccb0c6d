import { once } from 'node:events';
import { connect } from 'node:net';
import { gql } from 'graphql-tag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSubgraph, type SubgraphServer } from '../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

/** Of one field: beyond the smallest memory that is used again, within the largest. */
const CHARACTERS = 300_000;

/** A machine that has other work as well is no reason to reject. */
const PATIENT = 'admission: { maxRequests: 1000, maxDelayMs: 60000, targetDelayMs: 60000 }';

let subgraph: SubgraphServer;
let gateway: TestGateway;

const textOf = (id: string): string => `${id} `.repeat(CHARACTERS / (id.length + 1));

beforeAll(async () => {
  subgraph = await startSubgraph({
    name: 'texts',
    typeDefs: gql`
      type Query {
        text(id: String!): String
      }
    `,
    resolvers: { Query: { text: (_: unknown, { id }: { id: string }) => textOf(id) } },
  });
  gateway = await startTestGateway({ subgraphs: [subgraph], settings: PATIENT });
});
afterAll(async () => {
  await gateway.close();
  await subgraph.close();
});

/** Asks for the text of an id, and reads nothing until `whenAsked` has settled. */
async function readLate(id: string, whenAsked: Promise<unknown>): Promise<string> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname).pause();
  await once(socket, 'connect');
  const body = JSON.stringify({ query: `{ text(id: "${id}") }` });
  const head = [
    'POST /graphql HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    'Connection: close',
  ];
  socket.write([...head, `Content-Length: ${Buffer.byteLength(body)}`, '', body].join('\r\n'));
  await whenAsked;
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  socket.resume();
  await once(socket, 'close');
  return text;
}

const ids = (name: string): readonly string[] => Array.from({ length: 12 }, (_, index) => `${name}${index}`);

describe('Responses whose memory is used again', () => {
  it.each([
    ['as the subgraph sent them', 'a'],
    ['with characters of several bytes', 'é'],
    ['with escapes', String.raw`\\`],
  ])('reach who asked for them, %s', async (_kind, name) => {
    const asked = ids(name).map(async (id) => {
      const { body } = await gateway.post({ query: `query { text(id: "${id}") again: text(id: "${id}") }` });
      return { id, data: body.data };
    });
    for (const { id, data } of await Promise.all(asked)) {
      const text = textOf(id.replace(String.raw`\\`, '\\'));
      expect(data).toEqual({ text, again: text });
    }
  });

  it.each([
    ['in ASCII', 'b'],
    ['with characters of several bytes', 'ü'],
  ])('wait unchanged for a client that reads late, %s', async (_kind, name) => {
    let goOn: () => void = () => undefined;
    const whenAsked = new Promise<void>((resolve) => (goOn = resolve));
    const late = ids(name).map((id) => readLate(id, whenAsked));
    await Promise.all(ids('c').map((id) => gateway.post({ query: `{ text(id: "${id}") }` })));
    goOn();
    for (const [index, text] of (await Promise.all(late)).entries()) {
      expect(text.slice(0, 400)).toMatch(/^HTTP\/1\.1 200 /); // said first: the whole text is no message
      expect(text.endsWith(`"${textOf(`${name}${index}`)}"}}`)).toBe(true);
    }
  });
});
