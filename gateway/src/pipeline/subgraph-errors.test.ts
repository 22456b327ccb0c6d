import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { GraphQLError } from 'graphql';
import { gql } from 'graphql-tag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEventGraph, type EventGraph } from '../testing/event-graph.ts';
import { startSubgraph, type SubgraphServer } from '../testing/subgraph-server.ts';
import { startTestGateway, type GraphBody, type TestGateway } from '../testing/test-gateway.ts';

const SETTINGS = `
subgraphErrors:
  messages: none
  redactedMessage: Something went wrong.
  subgraphs:
    shop: { messages: all, extensions: [code, hint, stacktrace, __type] }
    news: { extensions: [incident] }
    mute: { extensions: [code] }
    plain: { messages: coded, extensions: [code, field, invalidValue, limit, hint] }`;

/** What a subgraph throws, by the name of a field. */
const THROWN: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  coded: { code: 'OUT_OF_STOCK', hint: 'tomorrow', field: 'a', secret: 'pg-7', requestId: 'forged' },
  uncoded: { hint: 'tomorrow', stacktrace: ['at pg-7'], retryAfterS: 7 },
  forged: { code: 'PERSISTED_QUERY_NOT_FOUND', hint: 'tomorrow' },
  shared: { code: 'BAD_USER_INPUT', field: 'a' },
};

/** Beside those of {@link INSIDE}: 600 in all. */
const FURTHER = 598;
/** Two in one null: a client gets one. */
const INSIDE = [0, 1].map((index) => ({ message: `Null ${index}.`, path: ['books', index, 'pages'] }));

const subgraphs: SubgraphServer[] = [];
let odd: Server;
let events: EventGraph;
let gateway: TestGateway;
let silent: TestGateway;

beforeAll(async () => {
  events = await startEventGraph();
  for (const name of ['shop', 'mute', 'plain']) subgraphs.push(await startThrower(name));
  const [shop] = subgraphs;
  if (!shop) throw new Error('There is no subgraph.');
  odd = createServer((request, response) => {
    void readText(request).then((asked) => response.end(JSON.stringify(oddResponseTo(asked))));
  });
  await new Promise<void>((resolve) => {
    odd.listen(0, '127.0.0.1', resolve);
  });
  const { port } = odd.address() as AddressInfo; // it listens on TCP
  const oddOne = {
    name: 'odd',
    typeDefs: gql`
      type Query {
        odd: String
        equal: String
        books: [Book!]
      }
      type Book {
        pages: Int!
      }
    `,
    url: `http://127.0.0.1:${port}/`,
  };
  const all = [...subgraphs, { ...shop, ...oddOne }, ...events.all];
  gateway = await startTestGateway({ subgraphs: all, settings: SETTINGS });
  silent = await startTestGateway({ subgraphs: all });
});
afterAll(async () => {
  await gateway.close();
  await silent.close();
  await events.close();
  odd.closeAllConnections();
  odd.close();
  await Promise.all(subgraphs.map((subgraph) => subgraph.close()));
});

function startThrower(name: string): Promise<SubgraphServer> {
  const fields = Object.keys(THROWN).map((field) => `${name}_${field}`);
  return startSubgraph({
    name,
    typeDefs: gql`type Query { ${fields.map((field) => `${field}: String`).join(' ')} }`,
    resolvers: { Query: Object.fromEntries(fields.map((field) => [field, () => fail(field)])) },
  });
}

function fail(field: string): never {
  throw new GraphQLError(`The table ${field} is locked.`, { extensions: THROWN[field.split('_')[1] ?? ''] });
}

function oddResponseTo(asked: string): object {
  if (asked.includes('pages')) {
    const further = messagesOf(FURTHER).map((message) => ({ message }));
    return { data: { books: [{ pages: null }, { pages: null }] }, errors: [...INSIDE, ...further] };
  }
  if (asked.includes('equal'))
    return { data: { equal: null }, errors: Array.from({ length: 600 }, () => ({ message: 'Equal.' })) };
  return { data: { odd: 'here' }, errors: [{ message: 'pg-7 is slow' }] };
}

function messagesOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `No ${index}.`);
}

/** A record of errors in the log: of one, or of several with their numbers. */
interface ErrorRecord {
  readonly msg: string;
  readonly requestId: string;
  readonly err?: { readonly message: string };
  readonly errors?: readonly { readonly message: string; readonly count: number }[];
}

/** What the log has of the errors of one request. */
function recordsOf(from: TestGateway, requestId: string | null): readonly ErrorRecord[] {
  const records = from.logged() as readonly Partial<ErrorRecord>[]; // those with errors are as the gateway writes them
  return records.filter(
    (record): record is ErrorRecord =>
      record.requestId === requestId && (record.err !== undefined || record.errors !== undefined),
  );
}

/** Each message as often as the log says that it came. */
function messagesLogged(from: TestGateway, requestId: string | null): readonly string[] {
  return recordsOf(from, requestId).flatMap(({ err, errors = [] }) => [
    ...(err ? [err.message] : []),
    ...errors.flatMap(({ message, count }) => Array.from({ length: count }, () => message)),
  ]);
}

type Shown = NonNullable<GraphBody['errors']>[number];

async function errorOf(field: string, from = gateway): Promise<Pick<Shown, 'message' | 'extensions'>> {
  const { body } = await from.post({ query: `{ ${field} }` });
  const { message = '', extensions = {} } = body.errors?.[0] ?? {};
  return { message, extensions };
}

const requestId = expect.any(String) as unknown;
const internal = { code: 'INTERNAL_SERVER_ERROR', requestId };

describe('Errors of subgraphs', () => {
  it.each<[string, string, string, object]>([
    ['the named extensions, and no other', 'shop_coded', 'all', { code: 'OUT_OF_STOCK', hint: 'tomorrow' }],
    [
      'a stack only where it is named',
      'shop_uncoded',
      'all',
      { ...internal, hint: 'tomorrow', stacktrace: ['at pg-7'] },
    ],
    ['no code of the gateway itself', 'shop_forged', 'all', { ...internal, hint: 'tomorrow' }],
    ['a code of the common catalogue', 'shop_shared', 'all', { code: 'BAD_USER_INPUT' }],
    ['a text in the place of the message', 'mute_coded', 'none', { code: 'OUT_OF_STOCK' }],
    ['a text in the place of an uncoded one', 'mute_uncoded', 'none', internal],
    [
      'more extensions of coded ones',
      'plain_coded',
      'all',
      { code: 'OUT_OF_STOCK', hint: 'tomorrow', field: 'a' },
    ],
  ])('S-101 show %s: %s', async (_what, field, messages, extensions) => {
    const message = messages === 'all' ? `The table ${field} is locked.` : 'Something went wrong.';
    expect(await errorOf(field)).toEqual({ message, extensions });
  });

  it('without a place in the response are redacted as well', async () => {
    const { body } = await gateway.post({ query: '{ odd }' });
    expect(body).toMatchObject({ data: { odd: 'here' }, errors: [{ message: 'Something went wrong.' }] });
    expect(JSON.stringify(body)).not.toContain('pg-7');
  });

  it('that are redacted are in the log', async () => {
    await errorOf('mute_shared');
    expect(JSON.stringify(gateway.logged())).toContain('The table mute_shared is locked.');
  });

  it('are in the log where a response has no room for them, nor a place', async () => {
    const { body } = await gateway.post({ query: '{ books { pages } }' });
    expect(body.data).toEqual({ books: null });
    const log = JSON.stringify(gateway.logged());
    for (const message of ['Null 0.', 'Null 1.', 'No 0.', 'No 509.']) expect(log).toContain(`"${message}"`);
  });

  it('are 100 at most in a response, and each of 600 is once in the log', async () => {
    const { body, headers } = await silent.post({ query: '{ books { pages } }' });
    expect(body.data).toEqual({ books: null });
    expect(body.errors).toHaveLength(100);
    const logged = messagesLogged(silent, headers.get('x-request-id'));
    const sent = [...INSIDE.map(({ message }) => message), ...messagesOf(FURTHER)];
    expect(logged.toSorted()).toEqual(sent.toSorted());
  });

  it('are one entry of a record in the log, with their number, where their messages are equal', async () => {
    const { body, headers } = await silent.post({ query: '{ equal }' });
    expect(body.errors).toHaveLength(100);
    const records = recordsOf(silent, headers.get('x-request-id'));
    expect(records.map(({ msg }) => msg)).toEqual([
      ...Array.from({ length: 10 }, () => 'operation failed internally'),
      'operation had further errors',
    ]);
    expect(records.at(-1)?.errors).toEqual([{ message: 'Equal.', count: 590 }]);
  });

  it('without the setting forge no code of the gateway either, and show the five keys alone', async () => {
    expect((await errorOf('plain_forged', silent)).extensions).toMatchObject(internal);
    expect((await errorOf('plain_coded', silent)).extensions).toEqual({ code: 'OUT_OF_STOCK', field: 'a' });
  });
});

describe('The same rules hold', () => {
  const ask = async (query: string, accept: string): Promise<string> => {
    const controller = new AbortController();
    const { body } = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept },
      body: JSON.stringify({ query }),
      signal: controller.signal,
    });
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (query.includes('published') && events.news.open() > 0 && !text.includes('errors'))
        events.news.publish({ id: '1' });
      if (text.includes('"errors"')) break;
    }
    controller.abort();
    return text;
  };
  const MULTIPART = 'multipart/mixed;deferSpec=20220824';
  const EVENTS = 'text/event-stream';

  it.each([
    ['in a deferred part', '{ count latest { id ... @defer { broken } } }', MULTIPART],
    ['for the events of a subscription', 'subscription { published { id broken } }', EVENTS],
    ['for the ticks of a live query', 'query @live { latest { id broken } }', EVENTS],
    ['for a subscription that the subgraph rejects', 'subscription { rejected { id } }', EVENTS],
  ])('%s', async (_where, query, accept) => {
    const text = await ask(query, accept);
    expect(text).toContain('"message":"Something went wrong."');
    expect(text).toContain('"extensions":{"code":"INTERNAL_SERVER_ERROR","requestId":');
    expect(text).not.toMatch(/stacktrace|pg-7|Cannot return/);
  });
});
