import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { HostileOperation } from './hostile-operations.ts';

/** What came of an operation. */
export interface Verdict {
  /** Of HTTP; absent over WebSocket. */
  readonly status?: number;
  /** The code of the first error; absent where there is none. */
  readonly code: string | undefined;
  readonly text: string;
}

/** A way by which operations reach a gateway. */
export interface Carrier {
  readonly name: string;
  /** That of every rejection; absent where the status says something else, or nothing. */
  readonly rejectionstatus?: 400;
  /** @param url the gateway's, without a path. @returns a verdict for each operation that was sent */
  send(url: string, operation: HostileOperation): Promise<readonly Verdict[]>;
  /** Whether it can carry an operation of this size. */
  takes(operation: HostileOperation): boolean;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const RESULT = { ...JSON_TYPE, accept: 'application/graphql-response+json' };
/** Node reads no more than 16 KiB of headers, the request line among them. */
const MAX_URL_CHARACTERS = 14_000;
const PREFLIGHT = { 'apollo-require-preflight': '1' };
const HARMLESS = '{"query":"{ __typename }"}';

/** Every transport, and every place within a request, that an operation can come by. */
export const carriers: readonly Carrier[] = [
  {
    name: 'POST',
    rejectionstatus: 400,
    takes: () => true,
    send: async (url, operation) => [
      await post(`${url}/graphql`, requestText(operation), headersOf(operation, RESULT)),
    ],
  },
  {
    name: 'the third element of a batch',
    takes: () => true,
    async send(url, operation) {
      const body = `[${HARMLESS},${HARMLESS},${requestText(operation)}]`;
      const { status = 0, text } = await post(`${url}/graphql`, body, headersOf(operation, JSON_TYPE));
      const responses = JSON.parse(text) as unknown;
      if (!Array.isArray(responses)) return [{ status, code: codeOf(responses), text }]; // the batch as a whole was rejected
      const [first, second, third] = responses as unknown[];
      for (const harmless of operation.authorization === undefined ? [first, second] : [])
        if (codeOf(harmless) !== undefined) throw new Error(`A harmless element was rejected: ${text}`);
      return [{ status, code: codeOf(third), text: JSON.stringify(third) }];
    },
  },
  {
    name: 'GET',
    rejectionstatus: 400,
    takes: (operation) => queryString(operation).length <= MAX_URL_CHARACTERS,
    async send(url, operation) {
      const headers = headersOf(operation, { ...RESULT, ...PREFLIGHT });
      return [await verdictOf(await fetch(`${url}/graphql?${queryString(operation)}`, { headers }))];
    },
  },
  {
    name: 'an automatic persisted query',
    rejectionstatus: 400,
    takes: ({ extensions }) => extensions === undefined,
    async send(url, operation) {
      const sha256Hash = createHash('sha256').update(operation.query).digest('hex');
      const extensions = JSON.stringify({ persistedQuery: { version: 1, sha256Hash } });
      const headers = headersOf(operation, RESULT);
      const registered = await post(`${url}/graphql`, requestText({ ...operation, extensions }), headers);
      const asked = await post(
        `${url}/graphql`,
        requestText({ ...operation, query: '', extensions }),
        headers,
      );
      // what was not valid has not been stored
      return asked.code === 'PERSISTED_QUERY_NOT_FOUND' ? [registered] : [registered, asked];
    },
  },
  {
    name: 'server-sent events',
    takes: () => true,
    send: async (url, operation) => [
      await post(`${url}/graphql/stream`, requestText(operation), {
        ...headersOf(operation, JSON_TYPE),
        accept: 'text/event-stream',
      }),
    ],
  },
  {
    name: 'server-sent events by GET',
    takes: (operation) => queryString(operation).length <= MAX_URL_CHARACTERS,
    async send(url, operation) {
      const headers = headersOf(operation, { ...PREFLIGHT, accept: 'text/event-stream' });
      return [await verdictOf(await fetch(`${url}/graphql/stream?${queryString(operation)}`, { headers }))];
    },
  },
  {
    name: 'multipart',
    takes: () => true,
    send: async (url, operation) => [
      await post(`${url}/graphql`, requestText(operation), {
        ...headersOf(operation, JSON_TYPE),
        accept: 'multipart/mixed; deferSpec=20220824, multipart/mixed; subscriptionSpec=1.0',
      }),
    ],
  },
  { name: 'WebSocket', takes: () => true, send: async (url, operation) => [await subscribe(url, operation)] },
];

/** A request as JSON. */
export function requestText(operation: HostileOperation): string {
  const { query, operationName, variables = '{}', extensions = '{}' } = operation;
  const name = operationName === undefined ? '' : `"operationName":${JSON.stringify(operationName)},`;
  return `{"query":${JSON.stringify(query)},${name}"variables":${variables},"extensions":${extensions}}`;
}

function queryString({
  query,
  operationName,
  variables = '{}',
  extensions = '{}',
}: HostileOperation): string {
  const name = operationName === undefined ? {} : { operationName };
  return new URLSearchParams({ query, variables, extensions, ...name }).toString();
}

type Headers = Readonly<Record<string, string>>;

function headersOf({ authorization, headers: more }: HostileOperation, headers: Headers): Headers {
  return { ...headers, ...more, ...(authorization !== undefined && { authorization }) };
}

async function post(url: string, body: string, headers: Headers): Promise<Verdict> {
  return verdictOf(await fetch(url, { method: 'POST', headers, body }));
}

async function verdictOf(response: Response): Promise<Verdict> {
  const text = await response.text();
  // of server-sent events, or of multipart, where a result is a payload of its own in a subscription
  const [, event] = /^(?:event: next\ndata: |\r\n)(\{.*\})\s*$/m.exec(text) ?? [];
  return { status: response.status, code: codeOf(JSON.parse(event ?? text)), text };
}

interface GraphResponse {
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

function codeOf(result: unknown): string | undefined {
  return (result as GraphResponse).errors?.[0]?.extensions.code; // a GraphQL response
}

/**
 * One operation on a connection of its own; then another, which shows that the connection has outlived it. What is no
 * request, and an invalid token, ends the connection instead.
 */
async function subscribe(url: string, operation: HostileOperation): Promise<Verdict> {
  const { authorization, headers = {} } = operation;
  const address = `${url.replace('http', 'ws')}/graphql`;
  const socket = new WebSocket(address, 'graphql-transport-ws', { headers });
  try {
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'connection_init', payload: { ...headers, authorization } }));
    const greeting = await messageOf(socket, (text) => text.includes('connection_ack'));
    if (typeof greeting === 'object') return greeting;
    const verdict = messageOf(socket, (text) => text.includes('"id":"hostile"'));
    socket.send(`{"id":"hostile","type":"subscribe","payload":${requestText(operation)}}`);
    const text = await verdict;
    if (typeof text === 'object') return text;
    const harmless = messageOf(socket, (message) => message.includes('"id":"harmless"'));
    socket.send(`{"id":"harmless","type":"subscribe","payload":${HARMLESS}}`);
    if (typeof (await harmless) === 'object')
      throw new Error('The connection has not outlived the operation.');
    return { code: codeOfFrame(text), text };
  } finally {
    socket.terminate();
  }
}

/** What HTTP responses, by the code of graphql-transport-ws that a connection is closed with for it. */
const CODES_OF_CLOSING: ReadonlyMap<number, string> = new Map([
  [4_400, 'BAD_REQUEST'],
  [4_403, 'UNAUTHENTICATED'],
]);

/** Rejects when the connection is closed first, but where that is the verdict. */
function messageOf(socket: WebSocket, matches: (text: string) => boolean): Promise<string | Verdict> {
  return new Promise((resolve, reject) => {
    socket.on('close', (closedWith, reason) => {
      const code = CODES_OF_CLOSING.get(closedWith);
      if (code === undefined) reject(new Error(`The connection was closed with ${closedWith}.`));
      else resolve({ code, text: reason.toString() });
    });
    socket.on('message', (data: Buffer) => {
      const text = data.toString('utf8');
      if (matches(text)) resolve(text);
    });
  });
}

function codeOfFrame(text: string): string | undefined {
  const { type, payload } = JSON.parse(text) as { type: string; payload: unknown };
  return codeOf(type === 'error' ? { errors: payload } : payload);
}
