import { execFile, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import WebSocket from 'ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cell } from '../cell.ts';
import {
  authorization,
  endpoint,
  forgetTokens,
  openStage,
  socketEndpoint,
  TOO_LARGE,
  untilHeard,
  type Stage,
} from '../scene.ts';

const run = promisify(execFile);
const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const SEND_QUERIES = fileOf('SendQueries.java');
const ADA = '{"data":{"me":{"name":"Ada Marlow"}}}';

// Tests of programs that the machine may lack say so in their titles, and are left out.
const hasJava = spawnSync('javac', ['-version']).status === 0; // it compiles what `java` is given as source
const hasCurl = spawnSync('curl', ['--version']).status === 0;
const curlMissing = hasCurl ? undefined : 'curl';

describe('Programs without a GraphQL library', () => {
  beforeAll(forgetTokens);

  // G5: it asks for HTTP/2 first, and for a WebSocket
  it.skipIf(!hasJava)(cell("Java's HttpClient", 'query', hasJava ? undefined : 'a JDK'), async () => {
    const { stdout } = await run('java', [SEND_QUERIES, endpoint, await authorization()], {
      timeout: 55_000,
    });
    const responses = Array.from({ length: 4 }, () => `200 ${ADA}`);
    expect(stdout.trim().split('\n')).toEqual([...responses, '{"type":"connection_ack"}']);
  });

  async function curl(...options: readonly string[]): Promise<string> {
    const token = ['-H', `authorization: ${await authorization()}`];
    const { stdout } = await run('curl', ['-sN', '--max-time', '30', ...token, ...options]);
    return stdout;
  }

  it.skipIf(!hasCurl)(cell('curl', 'query', curlMissing), async () => {
    const json = ['-H', 'content-type: application/json'];
    const body = '{"query":"{ me { name } }"}';
    expect(await curl(...json, '-d', body, endpoint)).toBe(ADA);
    expect(await curl('--http2', ...json, '-d', body, endpoint)).toBe(ADA);
    expect(await curl('--http2', ...json, '-d', `${body}${' '.repeat(100_000)}`, endpoint)).toBe(ADA);
  });

  it.skipIf(!hasCurl)(cell('curl', 'why too large a request is rejected', curlMissing), async () => {
    const body = JSON.stringify([{ query: '{ __typename }', variables: { text: TOO_LARGE } }]);
    const asked = run('curl', [
      '-s',
      '-w',
      '%{http_code}',
      '-H',
      'content-type: application/json',
      '-d',
      '@-',
      endpoint,
    ]);
    asked.child.stdin?.end(body);
    expect((await asked).stdout).toMatch(/"code":"PAYLOAD_TOO_LARGE".*413$/);
  });

  it.skipIf(!hasCurl)(cell('curl', 'query by GET', curlMissing), async () =>
    expect(await curl('-G', '--data-urlencode', 'query={ me { name } }', endpoint)).toBe(ADA),
  );

  it.skipIf(!hasCurl)(cell('curl', 'query by GET without a token', curlMissing), async () => {
    const { stdout } = await run('curl', ['-s', '-G', '--data-urlencode', 'query={ __typename }', endpoint]);
    expect(stdout).toBe('{"data":{"__typename":"Query"}}');
  });
});

type Values = Readonly<Record<string, string>>;

/** A recorded text with its places filled. @param values by the names in braces */
async function readWire(name: string, values: Values): Promise<string> {
  const all: Values = { host: new URL(endpoint).host, authorization: await authorization(), ...values };
  const text = readFileSync(fileOf(`wire/${name}`), 'utf8').trimEnd();
  return text.replaceAll(/\{([a-zA-Z]+)\}/g, (place, value: string) => all[value] ?? place);
}

/** Sends a recorded request as it stands, but for the host and the token. */
async function send(name: string, values: Values): Promise<Socket> {
  const { hostname, port } = new URL(endpoint);
  const [head = '', text = ''] = (await readWire(`${name}.http`, values)).split('\n\n');
  const length = text === '' ? [] : [`Content-Length: ${Buffer.byteLength(text)}`];
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write([...head.split('\n'), ...length, 'Connection: close', '', text].join('\r\n'));
  return socket;
}

/** Sends it, and reads until the response is over. */
async function replay(
  name: string,
  values: Values = {},
): Promise<{ readonly head: string; readonly body: string }> {
  let received = '';
  for await (const chunk of await send(name, values)) received += String(chunk);
  const end = received.indexOf('\r\n\r\n');
  return { head: received.slice(0, end), body: received.slice(end + 4) };
}

/** A message of a server, as the client of the recorded text reads it. */
interface SubscriptionMessage {
  readonly type: string;
  readonly id?: string;
  readonly payload?: { readonly data: { readonly commentAdded: { readonly body: string } } };
}

describe('Requests as the mobile clients of Apollo write them', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage.remove());

  async function queries(client: string): Promise<void> {
    expect((await replay(`${client}-query`)).body).toMatch(/"data":\{"posts":\[\{/);
  }

  /** The hash alone; the hash and the text, which the client sends where the message is this one; the hash again. */
  async function persists(client: string): Promise<void> {
    const field = `title_${randomUUID().slice(0, 8)}: title`; // no one has sent it before
    const text = `query Posts($first: Int!) { posts(first: $first) { __typename id ${field} } }`;
    const values = { text, hash: createHash('sha256').update(text).digest('hex') };
    expect((await replay(`${client}-hash`, values)).body).toContain('"message":"PersistedQueryNotFound"');
    for (const step of ['hash-and-text', 'hash'])
      expect((await replay(`${client}-${step}`, values)).body, step).toMatch(/"data":\{"posts":\[\{/);
  }

  async function mutates(client: string): Promise<void> {
    const { body } = await replay(`${client}-mutation`, { postId: stage.postId });
    expect(body).toMatch(/"addComment":\{"__typename":"TextComment","id":"[^"]+","body":"From a phone"\}/);
  }

  async function defers(client: string): Promise<void> {
    const { head, body } = await replay(`${client}-defer`);
    expect(head).toMatch(/content-type: multipart\/mixed; boundary="-"; deferSpec=20220824/i);
    expect(body).toMatch(
      /"hasNext":true[^]*"incremental":\[\{"path":\["posts",0\],"data":\{"commentCount":\d+\}/,
    );
  }

  async function subscribesOverHttp(client: string): Promise<void> {
    const socket = await send(`${client}-subscription`, { postId: stage.heardPostId });
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    const heard = (): string[] =>
      [...received.matchAll(/"commentAdded":\{[^}]*"body":"([^"]+)"/g)].map(([, body = '']) => body);
    await untilHeard(stage, heard);
    expect(received).toMatch(/content-type: multipart\/mixed;.*subscriptionSpec=1\.0/i);
    expect(received).toContain('{"payload":{"data":{"commentAdded":');
    socket.destroy();
  }

  /** Begins when the server has acknowledged, and hears nothing but events of its subscription. */
  async function subscribesOverSocket(name: string, protocol: string): Promise<void> {
    const [init = '', start = ''] = (await readWire(`${name}.txt`, { postId: stage.heardPostId })).split(
      '\n',
    );
    const { id: own } = JSON.parse(start) as SubscriptionMessage;
    const socket = new WebSocket(socketEndpoint, protocol);
    const acknowledged: string[] = [];
    const heard: string[] = [];
    socket.on('message', (message: Buffer) => {
      const { id, type, payload } = JSON.parse(message.toString()) as SubscriptionMessage;
      if (type === 'connection_ack') {
        acknowledged.push(type);
        socket.send(start);
      } else heard.push(id === own ? (payload?.data.commentAdded.body ?? type) : type);
    });
    await once(socket, 'open');
    socket.send(init);
    await untilHeard(stage, heard);
    expect([acknowledged.length, socket.protocol]).toEqual([1, protocol]);
    socket.close();
  }

  it(cell('Apollo iOS', 'query'), () => queries('apollo-ios'));
  it(cell('Apollo iOS', 'persisted query'), () => persists('apollo-ios'));
  it(cell('Apollo iOS', 'mutation'), () => mutates('apollo-ios'));
  it(cell('Apollo iOS', '@defer'), () => defers('apollo-ios'));
  it(cell('Apollo iOS', 'subscription over multipart'), () => subscribesOverHttp('apollo-ios'));
  it(cell('Apollo iOS', 'subscription over WebSocket'), () =>
    subscribesOverSocket('apollo-ios-transport-ws', 'graphql-transport-ws'),
  );

  it(cell('Apollo Kotlin', 'query'), () => queries('apollo-kotlin'));
  it(cell('Apollo Kotlin', 'persisted query'), () => persists('apollo-kotlin'));
  it(cell('Apollo Kotlin', 'mutation'), () => mutates('apollo-kotlin'));
  it(cell('Apollo Kotlin', '@defer'), () => defers('apollo-kotlin'));
  it(cell('Apollo Kotlin', 'subscription over multipart'), () => subscribesOverHttp('apollo-kotlin'));

  // its default protocol is subscriptions-transport-ws, which names itself graphql-ws
  it(cell('Apollo Kotlin', 'subscription over WebSocket'), async () => {
    await subscribesOverSocket('apollo-kotlin-subscription', 'graphql-ws');
    await subscribesOverSocket('apollo-kotlin-transport-ws', 'graphql-transport-ws');
  });
});
