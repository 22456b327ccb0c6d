import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { RawSocket } from '../../testing/raw-socket.ts';
import { sendRaw } from '../../testing/send-raw.ts';
import { type TestGateway } from '../../testing/test-gateway.ts';
import { stageLibrary } from '../../testing/library-stage.ts';

const library = stageLibrary();

const PUBLIC = { query: '{ public }' };

describe('Hosts', () => {
  const ASKING = { 'content-type': 'application/json' };
  const BODY = JSON.stringify(PUBLIC);

  /** What becomes of a request by each way in: a plain one, one for the framework, a query by GET, a page, a WebSocket. */
  async function statusesFor(gateway: TestGateway, host: string): Promise<readonly number[]> {
    const get = (path: string, headers: Readonly<Record<string, string>>): Promise<number> =>
      new Promise((resolve, reject) => {
        const sent = httpRequest(gateway.url + path, { headers: { host, ...headers } }, (response) => {
          response.destroy();
          resolve(response.statusCode ?? 0);
        });
        sent.on('error', reject).end();
      });
    const origin = `http://${host.toLowerCase()}`;
    const plain = await sendRaw(gateway, { ...ASKING, host }, BODY);
    const framed = await sendRaw(gateway, { ...ASKING, host, origin }, BODY);
    const { socket } = new RawSocket(`${gateway.url}/graphql`, { headers: { host }, origin });
    const upgraded = await Promise.race([
      once(socket, 'open').then(() => 101),
      once(socket, 'unexpected-response').then(
        ([, response]) => (response as IncomingMessage).statusCode ?? 0,
      ),
    ]);
    socket.terminate();
    return [
      plain.status,
      framed.status,
      await get('/graphql?query=%7Bpublic%7D', {
        'apollo-require-preflight': '1',
        'x-forwarded-host': 'localhost',
      }),
      await get('/', { accept: 'text/html' }),
      await get('/explorer/events', {}),
      upgraded,
    ];
  }
  const SERVED = [200, 200, 200, 200, 200, 101];
  const SERVED_ELSEWHERE = [200, 200, 200, 200, 404, 101];
  const MISDIRECTED = [421, 421, 421, 421, 421, 421];

  it('DNS rebinding: a page of a site whose name leads to this machine reaches nothing in development', async () => {
    const gateway = await library.start({
      settings:
        '{ http: { trustProxy: true }, authentication: { dpopUrls: ["https://Graph.example/graphql"] } }',
    });
    const { port } = new URL(gateway.url);
    for (const host of [
      `rebound.example:${port}`,
      'rebound.example',
      `localhost.rebound.example:${port}`,
      `127.0.0.1.rebound.example:${port}`,
      `notlocalhost:${port}`,
      'x@localhost.example',
      '[::1].example',
    ])
      expect(await statusesFor(gateway, host), host).toEqual(MISDIRECTED);
    for (const host of ['localhost', 'LOCALHOST:1', 'desk.localhost:8080', '[::1]:4000'])
      expect(await statusesFor(gateway, host), host).toEqual(SERVED);
    // L9: who uses the graph, and what does not compose, is for those at this machine alone
    for (const host of ['10.1.2.3', 'graph.example'])
      expect(await statusesFor(gateway, host), host).toEqual(SERVED_ELSEWHERE);
    const { text } = await sendRaw(gateway, { ...ASKING, host: 'rebound.example' }, BODY);
    expect(JSON.parse(text)).toEqual({
      errors: [
        { message: expect.stringContaining('http.hosts'), extensions: { code: 'MISDIRECTED_REQUEST' } },
      ],
    });
  });

  it('are all served in production, and where http.hosts names some, those alone', async () => {
    const production = { NODE_ENV: 'production' };
    const open = await library.start({ settings: '{ pages: { enabled: true } }', environment: production });
    const closed = await library.start({
      settings: '{ http: { hosts: [api.example] } }',
      environment: production,
    });
    const ask = async (gateway: TestGateway, host: string): Promise<number> =>
      (await sendRaw(gateway, { ...ASKING, host }, BODY)).status;
    expect(await ask(open, 'other.example')).toBe(200);
    expect(await ask(closed, 'other.example')).toBe(421);
    expect(await ask(closed, 'API.example:443')).toBe(200);
    expect(await ask(closed, '127.0.0.1')).toBe(200);
  });
});
