import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { WebSocket } from 'ws';

/** Something that clients do to a gateway, over the graph of a library. */
export interface HostileConnection {
  /** Its number and what it tries. */
  readonly attack: string;
  /** Does it once. Rejects when something gets in that should not. @param url the gateway's, without a path */
  run(url: string): Promise<void>;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const HARMLESS = '{"query":"{ __typename }"}';

/** Those of the sections "Planner / executor", "Transport", "WebSocket / streaming" and "AuthN/Z" that cost a gateway something. */
export const hostileConnections: readonly HostileConnection[] = [
  { attack: 'S-030 30 parts deferred by as many variables', run: (url) => deferred(url, 30, true) },
  { attack: 'S-031 50 parts deferred', run: (url) => deferred(url, 50, false) },
  { attack: 'S-032 fields included by 8 variables', run: includedByVariables },
  { attack: 'S-034 200 operations that are new', run: newOperations },
  { attack: 'S-035 one new operation 500 times at once', run: sameNewOperation },
  { attack: 'S-050 a megabyte that a web page can send', run: simplePost },
  { attack: 'S-053 batches that are too long, empty, or nested', run: batches },
  { attack: 'S-054 100 persisted queries, half of them under the hash of another', run: persistedQueries },
  { attack: 'S-055 500 connections that stay silent', run: silentConnections },
  { attack: 'S-056 a body that grows when it is decompressed', run: compressedBody },
  { attack: 'S-059 headers of 64 KiB', run: longHeaders },
  { attack: 'S-060 a body with two lengths', run: twoLengths },
  { attack: 'S-061 1,000 requests in a row without waiting', run: pipelined },
  { attack: 'S-071 messages that are none', run: invalidMessages },
  { attack: 'S-074 1,000 operations at once on a connection', run: manyOperations },
  { attack: 'S-077 10,000 pings', run: pings },
  { attack: 'S-090 100 tokens of unknown keys, and one of 64 KiB', run: forgedTokens },
];

async function post(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = JSON_TYPE,
): Promise<Response> {
  return fetch(`${url}/graphql`, { method: 'POST', headers, body });
}

/** @throws when the status is another one */
async function expectStatus(result: Promise<Response>, ...expected: readonly number[]): Promise<string> {
  const response = await result;
  const text = await response.text();
  if (expected.includes(response.status)) return text;
  throw new Error(`Answered ${response.status} and not ${expected.join(' or ')}: ${text.slice(0, 200)}`);
}

const query = (text: string, variables: object = {}): string => JSON.stringify({ query: text, variables });

async function deferred(url: string, parts: number, byVariables: boolean): Promise<void> {
  const names = Array.from({ length: parts }, (_, index) => `v${index}`);
  const declared = byVariables ? `query (${names.map((name) => `$${name}: Boolean!`).join(' ')})` : 'query';
  const deferrals = names.map((name) => `... @defer${byVariables ? `(if: $${name})` : ''} { name }`);
  const variables = Object.fromEntries(names.map((name) => [name, Math.random() < 0.5]));
  const body = query(`${declared} { people { id ${deferrals.join(' ')} } }`, variables);
  const headers = { ...JSON_TYPE, accept: 'multipart/mixed;deferSpec=20220824, application/json' };
  await expectStatus(post(url, body, headers), 200, 400);
}

async function includedByVariables(url: string): Promise<void> {
  const names = Array.from({ length: 8 }, (_, index) => `v${index}`);
  const fields = names.flatMap((name) =>
    ['id', 'name', 'friends { id }'].map((field) => field.replace(/^\w+/, `$& @include(if: $${name})`)),
  ); // all of them together cost less than an operation may
  const declared = names.map((name) => `$${name}: Boolean!`).join(' ');
  const variables = Object.fromEntries(names.map((name) => [name, Math.random() < 0.5]));
  await expectStatus(
    post(url, query(`query (${declared}) { people { __typename ${fields.join(' ')} } }`, variables)),
    200,
  );
}

const BATCH = 10;

async function newOperations(url: string): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    const id = randomUUID().replaceAll('-', '');
    const batch = Array.from({ length: BATCH }, (_, index) => query(`{ a${index}_${id}: public }`));
    await expectStatus(post(url, `[${batch.join(',')}]`), 200);
  }
}

async function sameNewOperation(url: string): Promise<void> {
  const body = query(`query Q${randomUUID().replaceAll('-', '')} { people { id name books { id title } } }`);
  await Promise.all(Array.from({ length: 500 }, () => expectStatus(post(url, body), 200, 503)));
}

const MEGABYTE = ' '.repeat(1_000_000);

async function simplePost(url: string): Promise<void> {
  const body = `${HARMLESS}${MEGABYTE}`;
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
    await expectStatus(post(url, body, { 'content-type': type }), 400, 415);
}

async function batches(url: string): Promise<void> {
  await expectStatus(post(url, `[${Array.from({ length: 30_000 }, () => HARMLESS).join(',')}]`), 400);
  await expectStatus(post(url, '[]'), 400);
  await expectStatus(post(url, `${'['.repeat(100_000)}${']'.repeat(100_000)}`), 200, 400);
}

async function persistedQueries(url: string): Promise<void> {
  const send = (text: string, hashed: string): Promise<string> => {
    const sha256Hash = createHash('sha256').update(hashed).digest('hex');
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    return expectStatus(post(url, JSON.stringify({ query: text, extensions })), text === hashed ? 200 : 400);
  };
  for (let index = 0; index < 50; index += 1) {
    const text = `{ public } # ${randomUUID()}`;
    await send(text, text);
    await send(text, '{ people { id } }');
  }
}

async function silentConnections(url: string): Promise<void> {
  const sockets = await Promise.all(Array.from({ length: 500 }, () => openSocket(url)));
  await sleep(200);
  for (const socket of sockets) socket.destroy();
}

const BOMB = new Uint8Array(gzipSync(Buffer.alloc(100_000_000, 0x20)));

async function compressedBody(url: string): Promise<void> {
  await expectStatus(post(url, BOMB, { ...JSON_TYPE, 'content-encoding': 'gzip' }), 413);
}

async function longHeaders(url: string): Promise<void> {
  const socket = await openSocket(url);
  socket.write(`GET /graphql HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(65_536)}\r\n\r\n`);
  await expectResponse(socket, /^HTTP\/1\.1 431 /);
}

async function twoLengths(url: string): Promise<void> {
  const socket = await openSocket(url);
  socket.write(
    'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n',
  );
  await expectResponse(socket, /^HTTP\/1\.1 400 /);
}

async function pipelined(url: string): Promise<void> {
  const socket = await openSocket(url);
  const head = `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${HARMLESS.length}`;
  socket.write(`${head}\r\n\r\n${HARMLESS}`.repeat(999));
  socket.write(`${head}\r\nconnection: close\r\n\r\n${HARMLESS}`);
  await expectResponse(socket, /^HTTP\/1\.1 200 /);
}

async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.on('error', () => undefined); // `close` follows
  return socket;
}

/** Reads to the end. What is cut off while it still sends may get no response. @throws when what came is something else */
async function expectResponse(socket: Socket, expected: RegExp): Promise<void> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  await new Promise((resolve) => socket.once('close', resolve));
  if (text !== '' && !expected.test(text))
    throw new Error(`Not answered by ${expected}: ${text.slice(0, 200)}`);
}

async function openWebSocket(url: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  socket.on('error', () => undefined); // `close` follows
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await once(socket, 'message');
  return socket;
}

/** @throws when it is closed with another code */
async function expectClosed(socket: WebSocket, expected: number): Promise<void> {
  const [code] = (await once(socket, 'close')) as [number];
  if (code !== expected) throw new Error(`Closed with ${code} and not ${expected}.`);
}

async function invalidMessages(url: string): Promise<void> {
  const deep = '['.repeat(100_000);
  for (const message of ['{', '[]', '{"type":"other"}', '{"type":"subscribe"}', deep, `"${MEGABYTE}"`]) {
    const socket = await openWebSocket(url);
    const closed = expectClosed(socket, 4_400);
    socket.send(message);
    await closed;
  }
}

/** Each is answered, or rejected because there are too many at once. */
async function manyOperations(url: string): Promise<void> {
  const socket = await openWebSocket(url);
  const ended = new Set<string>();
  const all = new Promise<void>((resolve, reject) => {
    socket.on('close', (code) => reject(new Error(`The connection was closed with ${code}.`)));
    socket.on('message', (data: Buffer) => {
      const { id, type } = JSON.parse(data.toString('utf8')) as { id: string; type: string };
      if (type === 'complete' || type === 'error') ended.add(id);
      if (ended.size === 1_000) resolve();
    });
  });
  for (let id = 0; id < 1_000; id += 1)
    socket.send(`{"id":"${id}","type":"subscribe","payload":${query('{ people { id name } }')}}`);
  await all;
  socket.terminate();
}

async function pings(url: string): Promise<void> {
  const socket = await openWebSocket(url);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (let count = 0; count < 10_000; count += 1) socket.send('{"type":"ping"}');
  await closed;
}

async function forgedTokens(url: string): Promise<void> {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const send = (token: string): Promise<string> =>
    expectStatus(post(url, HARMLESS, { ...JSON_TYPE, authorization: `Bearer ${token}` }), 200, 401, 431);
  for (let index = 0; index < 100; index += 1) {
    const header = encode({ alg: 'ES256', typ: 'at+jwt', kid: randomUUID() });
    const text = await send(`${header}.${encode({ sub: 'root' })}.${'A'.repeat(86)}`);
    if (!text.includes('UNAUTHENTICATED')) throw new Error(`A forged token was taken: ${text}`);
  }
  await send(`a.${'b'.repeat(65_536)}.c`);
}
