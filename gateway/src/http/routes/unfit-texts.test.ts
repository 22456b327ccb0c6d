import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { carriers, type Carrier, type Verdict } from '../../../test-fixtures/attacks/carriers.ts';
import type { HostileOperation } from '../../../test-fixtures/attacks/hostile-operations.ts';
import { startLibraryGraph, type LibraryGraph } from '../../testing/library-graph.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

let graph: LibraryGraph;
let gateway: TestGateway;
let lenient: TestGateway;

beforeAll(async () => {
  graph = await startLibraryGraph();
  const environment = { FORWARD_HEADERS: 'x-tenant' };
  [gateway, lenient] = await Promise.all([
    startTestGateway({ subgraphs: graph.all, environment }),
    startTestGateway({ subgraphs: graph.all, environment, settings: '{ limits: { bidiControls: true } }' }),
  ]);
});
afterAll(async () => {
  await Promise.all([gateway.close(), lenient.close()]);
  await graph.close();
});
beforeEach(() => graph.forget());

const UNSTORABLE = ['\0', '\ud800'];
/** All of them are in the table of `packages/runtime/src/admission`; here it is places. */
const UNFIT = [...UNSTORABLE, '\u202e', '\u2069'];
const BIDI_CONTROLS = [
  '\u202a',
  '\u202b',
  '\u202c',
  '\u202d',
  '\u202e',
  '\u2066',
  '\u2067',
  '\u2068',
  '\u2069',
];
const MARKS = ['\u200f', '👩‍🚀'];

/** As JSON may write it. */
function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

const ECHO = 'query Echo($text: String) { echo(value: $text) }';

/** Every place of an operation where a client writes what it likes. JSON texts are given as such. */
const PLACES: Readonly<Record<string, (character: string) => Omit<HostileOperation, 'attack'>>> = {
  'a variable': (character) => ({ query: ECHO, variables: JSON.stringify({ text: `a${character}` }) }),
  'a variable, escaped': (character) => ({ query: ECHO, variables: `{"text":"${escaped(character)}"}` }),
  'a list in an input object': (character) => ({
    query: 'query Echo($input: EchoInput) { echo(input: $input) }',
    variables: `{"input":{"name":"a","nested":{"name":"b","tags":["c","${escaped(character)}d"]}}}`,
  }),
  'a variable that is not declared': (character) => ({
    query: ECHO,
    variables: `{"other":[[{"a":"${escaped(character)}"}]]}`,
  }),
  'the name of a member': (character) => ({ query: ECHO, variables: `{"a${escaped(character)}":1}` }),
  extensions: (character) => ({ query: ECHO, extensions: `{"a":{"b":"${escaped(character)}"}}` }),
  'the name of an extension': (character) => ({ query: ECHO, extensions: `{"${escaped(character)}":{}}` }),
  operationName: (character) => ({ query: ECHO, operationName: `Echo${character}` }),
  'a string of the document': (character) => ({ query: `{ echo(value: "${character}") }` }),
  'a string of the document, escaped': (character) => ({ query: `{ echo(value: "${escaped(character)}") }` }),
  'a string of the document, escaped by its code point': (character) => ({
    query: `{ echo(value: "\\u{${character.codePointAt(0)?.toString(16)}}") }`,
  }),
  'a block string': (character) => ({ query: `{ echo(value: """${character}""") }` }),
  'a comment': (character) => ({ query: `{ public } # ${character}` }),
};

/** A query string can't hold halves of surrogate pairs but escaped: they are no UTF-8. */
const isCarried = (
  carrier: string,
  { query, operationName = '', variables = '' }: HostileOperation,
): boolean => !carrier.includes('GET') || !/\p{Cs}/u.test(query + operationName + variables);

interface Case {
  readonly carrier: Carrier;
  readonly place: string;
  readonly operationWith: (character: string) => Omit<HostileOperation, 'attack'>;
}

const cases: readonly Case[] = carriers.flatMap((carrier) =>
  Object.entries(PLACES)
    .map(([place, operationWith]) => ({ carrier, place, operationWith }))
    .filter(({ place, operationWith }) => carrier.takes({ attack: place, ...operationWith('a') })),
);

async function send(
  characters: readonly string[],
  { carrier, place, operationWith }: Case,
): Promise<readonly Verdict[]> {
  const operations = characters.map((character) => ({ attack: place, ...operationWith(character) }));
  const carried = operations.filter((operation) => isCarried(carrier.name, operation));
  return (await Promise.all(carried.map((operation) => carrier.send(gateway.url, operation)))).flat();
}

describe('L1: NUL, halves of surrogate pairs and what overrides or isolates a direction are 400', () => {
  it.each(cases)('in $place by $carrier.name', async ({ carrier, place, operationWith }) => {
    const verdicts = await send(UNFIT, { carrier, place, operationWith });
    for (const verdict of verdicts) {
      expect(verdict.code).toMatch(/^(BAD_REQUEST|GRAPHQL_PARSE_ERROR)$/);
      if (carrier.rejectionstatus) expect(verdict).toMatchObject({ status: 400 });
    }
    expect(verdicts.length).toBeGreaterThan(1);
    expect(graph.requests()).toBe(0);
  });

  it.each(BIDI_CONTROLS)('in a header that goes on to subgraphs: %j', async (character) => {
    const value = Buffer.from(`a${character}`).toString('latin1');
    const responses = await Promise.all([
      gateway.post({ query: '{ public }' }, { 'x-tenant': value }),
      gateway.get({ query: '{ public }' }, { 'x-tenant': value, 'apollo-require-preflight': '1' }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([400, 400]);
    expect(graph.requests()).toBe(0);
    expect((await gateway.post({ query: '{ public }' }, { 'x-other': value })).status).toBe(200);
  });

  it.each([
    ['the payload of connection_init', '{"type":"connection_init","payload":{"a":{"b":"TEXT"}}}'],
    ['the name of a member of it', '{"type":"connection_init","payload":{"TEXT":1}}'],
    ['the id of an operation', '{"type":"subscribe","id":"TEXT","payload":{"query":"{ public }"}}'],
    ['a ping', '{"type":"ping","payload":{"a":"TEXT"}}'],
    ['a pong', '{"type":"pong","payload":{"a":"TEXT"}}'],
    ['complete', '{"type":"complete","id":"TEXT"}'],
  ])('in messages of a WebSocket, which end it with 4400: %s', async (_place, message) => {
    for (const character of UNFIT)
      expect(await closedWith(gateway.url, message.replace('TEXT', escaped(character)))).toBe(4_400);
  });
});

describe('L1: Texts may hold', () => {
  it.each(cases.filter(({ place }) => !['the name of a member', 'operationName'].includes(place)))(
    'marks of direction, joiners and letters in $place by $carrier.name',
    async ({ carrier, place, operationWith }) => {
      for (const verdict of await send(MARKS, { carrier, place, operationWith }))
        expect(verdict.code).toBeUndefined();
    },
  );

  it('what isolates a direction where the operator allows it, and never what can not be stored', async () => {
    const ask = async (character: string): Promise<number> =>
      (await lenient.post({ query: ECHO, variables: { text: character } })).status;
    for (const character of BIDI_CONTROLS) expect(await ask(character)).toBe(200);
    expect(graph.people.received.map(({ variables }) => Object.values(variables)[0])).toEqual(BIDI_CONTROLS);
    for (const character of UNSTORABLE) expect(await ask(character)).toBe(400);
    const value = Buffer.from('\u2066a\u2069').toString('latin1');
    expect((await lenient.post({ query: '{ public }' }, { 'x-tenant': value })).status).toBe(200);
  });

  it('what is fit in a batch where another operation of it is not', async () => {
    const { bodies } = await gateway.post([
      { query: ECHO, variables: { text: 'a' } },
      { query: ECHO, variables: { text: '\0' } },
    ]);
    expect(bodies.map(({ data }) => data !== undefined)).toEqual([true, false]);
  });
});

async function closedWith(url: string, message: string): Promise<number> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  await once(socket, 'open');
  if (!message.includes('connection_init')) {
    socket.send('{"type":"connection_init"}');
    await once(socket, 'message');
  }
  const closing = once(socket, 'close');
  socket.send(message);
  const [code] = (await closing) as [number];
  return code;
}
