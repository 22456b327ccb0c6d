import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchKeySet } from './key-set.ts';

let server: Server;
let url: string;
let result: RequestListener;
let requests = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    requests += 1;
    result(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`; // it listens on TCP
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('F-15 A key set', () => {
  it('is read as it is', async () => {
    result = (_request, response) => response.end('{"keys":[{"kid":"a"}]}');
    expect(await fetchKeySet(url)).toEqual({ keys: [{ kid: 'a' }] });
  });

  it.each<[string, RequestListener]>([
    ['answered with 500', (_request, response) => response.writeHead(500).end('{"keys":[]}')],
    ['that is garbage', (_request, response) => response.end('<html>')],
    ['that is empty', (_request, response) => response.end('')],
    [
      'that is cut short',
      (_request, response) => void response.writeHead(200, { 'content-length': 9 }).end('{}'),
    ],
    ['that never ends', (_request, response) => void response.write('{"keys":[')],
    ['that never begins', () => undefined],
    ['that is too large', (_request, response) => response.end(`"${'x'.repeat(300_000)}"`)],
  ])('%s is none', async (_what, listener) => {
    result = listener;
    await expect(fetchKeySet(url, 300)).rejects.toThrow();
  });

  it('S-065 is looked for nowhere else', async () => {
    result = (_request, response) => response.writeHead(302, { location: `${url}/elsewhere` }).end();
    requests = 0;
    await expect(fetchKeySet(url)).rejects.toThrow('302');
    expect(requests).toBe(1);
  });
});
