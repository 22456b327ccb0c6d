import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { startOperationsServer, type OperationsServer } from './operations-server.ts';

const NEW = 'uB3vYk0sQm9dWz7eXh2rTg5nLc8pJf1a';
const OLD = 'Zt6kRw1yVb4mHq9xGs3cNd7jLf0pEu8i';

let server: OperationsServer | undefined;
afterEach(() => server?.close());

/** What changes something, as deployables add it. */
async function open(secrets: readonly string[] | undefined, host: string): Promise<string> {
  let changes = 0;
  server = await startOperationsServer({
    port: 0,
    host,
    metrics: [],
    routes: [
      {
        secrets,
        add: (scope) =>
          scope
            .get('/state', async () => ({ changes }))
            .route({
              method: ['POST', 'PUT', 'PATCH', 'DELETE'],
              url: '/state',
              handler: async () => ({ changes: (changes += 1) }),
            }),
        close: () => undefined,
      },
    ],
  });
  return `http://127.0.0.1:${new URL(server.url).port}`;
}

async function ask(url: string, method: string, authorization?: string): Promise<number> {
  const response = await fetch(`${url}/state`, { method, headers: authorization ? { authorization } : {} });
  const text = await response.text();
  for (const secret of [NEW, OLD]) expect(text).not.toContain(secret);
  return response.status;
}

/** With a host that fetch does not let one choose. */
function askAs(host: string, { hostname, port }: URL): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path: '/state', method: 'POST', headers: { host } });
    sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
    sent.end();
  });
}

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'];
const LISTENERS = ['127.0.0.1', '0.0.0.0'];

describe('The operations port: what changes something', () => {
  it.each(LISTENERS)(
    'G14: with secrets, on %s, is done for callers that have one, and no others',
    async (host) => {
      const url = await open([NEW, OLD], host);
      for (const method of METHODS) {
        for (const secret of [NEW, OLD]) expect(await ask(url, method, `Bearer ${secret}`)).toBe(200);
        expect(await ask(url, method, `bearer ${NEW}`)).toBe(200); // RFC 9110 §11.1
        for (const wrong of [undefined, 'Bearer', 'Bearer ', `Basic ${NEW}`, NEW, `Bearer ${NEW}${OLD}`])
          expect(await ask(url, method, wrong)).toBe(401);
        expect(await ask(url, method, `Bearer ${NEW.slice(0, -1)}`)).toBe(401);
      }
      const response = await fetch(`${url}/state`, { method: 'POST' });
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="operations"');
      expect(await ask(url, 'GET')).toBe(200);
      expect((await fetch(`${url}/metrics`)).status).toBe(200);
    },
  );

  it('G14: takes a passphrase with blanks, and other characters than a token may have', async () => {
    const passphrase = 'vine "orbit" 7 ledge, quiet; ü marsh';
    const url = await open([passphrase], '127.0.0.1');
    expect(await ask(url, 'POST', `Bearer ${passphrase}`)).toBe(200);
    expect(await ask(url, 'POST', `bearer   ${passphrase}`)).toBe(200);
    expect(await ask(url, 'POST', `Bearer ${passphrase.split(' ')[0]}`)).toBe(401);
  });

  it('G14: without secrets is done for programs of this machine', async () => {
    const url = await open(undefined, '127.0.0.1');
    for (const method of METHODS) expect(await ask(url, method)).toBe(200);
  });

  it.each(['rebound.example', 'rebound.example:9464', '127.0.0.1.rebound.example', '203.0.113.1'])(
    'G14: without secrets is denied to pages of a site whose name leads here: %s',
    async (name) => {
      const url = new URL(await open(undefined, '127.0.0.1'));
      for (const [host, status] of [
        [name, 403],
        [`localhost:${url.port}`, 200],
        [`[::1]:${url.port}`, 200],
      ] as const)
        expect(await askAs(host, url), host).toBe(status);
    },
  );

  it('G14: without secrets is rejected where others can ask, and says why', async () => {
    const url = await open(undefined, '0.0.0.0');
    for (const method of METHODS) expect(await ask(url, method, `Bearer ${NEW}`)).toBe(403);
    const response = await fetch(`${url}/state`, { method: 'POST' });
    expect(await response.text()).toContain('OPERATIONS_SECRET is not set');
    expect(await ask(url, 'GET')).toBe(200);
  });
});
