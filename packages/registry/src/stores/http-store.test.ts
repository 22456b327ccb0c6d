import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogName } from '../log-name.ts';
import { HttpStore } from './http-store.ts';
import { registryAuthorization } from './registry-authorization.ts';

const { signal } = new AbortController(); // never aborted: the limit of each test is its deadline
const log: LogName = { graph: 'content', environment: 'production' };
let respond: RequestListener;
const server = createServer((request, response) => respond(request, response));
let store: HttpStore;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  store = new HttpStore(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`); // it listens on TCP
});

afterAll(() => server.close());

const CALLS: readonly (readonly [what: string, call: () => Promise<unknown>])[] = [
  ['logs', () => store.listLogs(signal)],
  ['a head', () => store.readHead(log, signal)],
  ['what came of a publication', () => store.submit(log, 'publications', {}, signal)],
];

describe('Instead of a registry', () => {
  it.each(
    CALLS.flatMap(([what, call]) =>
      ['<h1>Sign in</h1>', 'null', '42', ''].map((body) => [what, body, call] as const),
    ),
  )('another server is one that is unavailable: %s, %j', async (_what, body, call) => {
    respond = (_request, response) => void response.end(body);
    await expect(call()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('a connection that is lost within a text is one that is unavailable', async () => {
    respond = (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('half of', () => response.destroy());
    };
    await expect(store.readBlob('0'.repeat(64), 1000, signal)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
  });

  it('gets no secret where the issuer is reached in clear', () => {
    const client = { TRELLIS_REGISTRY_CLIENT_ID: 'ci', TRELLIS_REGISTRY_CLIENT_SECRET: 'a secret of ours' };
    const open = (issuer: string) => () =>
      registryAuthorization({ ...client, TRELLIS_REGISTRY_ISSUER: issuer });
    expect(open('http://issuer.example')).toThrow(
      expect.objectContaining({
        code: 'INVALID_NAME',
        message: expect.not.stringContaining('a secret') as string,
      }),
    );
    for (const issuer of ['https://issuer.example', 'http://127.0.0.1:4001', 'http://localhost:4001'])
      expect(open(issuer)).not.toThrow();
  });

  it('logs that are none are left out', async () => {
    respond = (_request, response) =>
      void response.end(JSON.stringify({ logs: [null, 1, { graph: 'A' }, log] }));
    expect(await store.listLogs(signal)).toEqual([log]);
  });
});
