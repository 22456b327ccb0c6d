import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEventGraph, type EventGraph } from '../../testing/event-graph.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

const run = promisify(execFile);
const SEND_QUERIES = fileURLToPath(new URL('SendQueries.java', import.meta.url));
const ANSWER = '200 {"data":{"person":{"name":"Person 1"}}}';

function isInstalled(program: string, argument: string): boolean {
  return spawnSync(program, [argument]).status === 0;
}

/** Why a test is left out, in its title. */
function unless(isInstalled: boolean, what: string): string {
  return isInstalled ? '' : ` (left out: ${what} is not installed)`;
}

const hasJava = isInstalled('javac', '-version'); // it compiles what `java` is given as source
const hasCurl = isInstalled('curl', '--version');

let graph: EventGraph;
let gateway: TestGateway;

beforeAll(async () => {
  graph = await startEventGraph();
  gateway = await startTestGateway({ subgraphs: graph.all, settings: '{}' });
});
afterAll(async () => {
  await gateway.close();
  await graph.close();
});

describe('Clients that ask for HTTP/2 first, without TLS, as they come', () => {
  it.skipIf(!hasJava)(
    `G5: Java's HttpClient queries, and opens WebSockets${unless(hasJava, 'a JDK')}`,
    { timeout: 60_000 },
    async () => {
      const { stdout } = await run('java', [SEND_QUERIES, `${gateway.url}/graphql`], { timeout: 55_000 });
      expect(stdout.trim().split('\n')).toEqual([
        ...Array.from({ length: 4 }, () => ANSWER),
        '{"type":"connection_ack"}',
      ]);
    },
  );

  it.skipIf(!hasCurl).each([
    ['a query', '{"query":"{ person(id: \\"1\\") { name } }"}'],
    ['a large one', `{"query":"{ person(id: \\"1\\") { name } }"${' '.repeat(100_000)}}`],
  ])(`G5: curl --http2 sends %s${unless(hasCurl, 'curl')}`, async (_what, body) => {
    const request = ['-H', 'content-type: application/json', '--data', '@-', `${gateway.url}/graphql`];
    const sent = run('curl', ['-s', '--http2', '--max-time', '30', '-w', '%{http_code}', ...request]);
    sent.child.stdin?.end(body);
    expect((await sent).stdout).toBe('{"data":{"person":{"name":"Person 1"}}}200');
  });
});
