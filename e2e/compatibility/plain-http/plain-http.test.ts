import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { cell } from '../cell.ts';
import { authorization, endpoint, forgetTokens, TOO_LARGE } from '../scene.ts';

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

/** Sends a recorded request as it stands, but for the host and the token, and reads until the response is over. */
async function replay(name: string): Promise<{ readonly head: string; readonly body: string }> {
  const { hostname, port, host } = new URL(endpoint);
  const [head = '', body = ''] = readFileSync(fileOf(`wire/${name}.http`), 'utf8')
    .trimEnd()
    .split('\n\n');
  const lines = head
    .replace('{host}', host)
    .replace('{authorization}', await authorization())
    .split('\n');
  const text = body.trim();
  const length = text === '' ? [] : [`Content-Length: ${Buffer.byteLength(text)}`];
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write([...lines, ...length, 'Connection: close', '', text].join('\r\n'));
  let received = '';
  for await (const chunk of socket) received += String(chunk);
  const end = received.indexOf('\r\n\r\n');
  return { head: received.slice(0, end), body: received.slice(end + 4) };
}

describe('Requests as the mobile clients of Apollo write them', () => {
  /** A text, and a hash that is not known: the client sends the text next where the message is this one. */
  async function queries(client: string): Promise<void> {
    expect((await replay(`${client}-query`)).body).toMatch(/"data":\{"posts":\[\{/);
    expect((await replay(`${client}-hash`)).body).toContain('"message":"PersistedQueryNotFound"');
  }

  async function defers(client: string): Promise<void> {
    const { head, body } = await replay(`${client}-defer`);
    expect(head).toMatch(/content-type: multipart\/mixed; boundary="-"; deferSpec=20220824/i);
    expect(body).toMatch(
      /"hasNext":true[^]*"incremental":\[\{"path":\["posts",0\],"data":\{"commentCount":\d+\}/,
    );
  }

  it(cell('Apollo iOS', 'query'), () => queries('apollo-ios'));
  it(cell('Apollo iOS', '@defer'), () => defers('apollo-ios'));
  it(cell('Apollo Kotlin', 'query'), () => queries('apollo-kotlin'));
  it(cell('Apollo Kotlin', '@defer'), () => defers('apollo-kotlin'));
});
