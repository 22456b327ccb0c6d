import { request as httpRequest } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type TestGateway } from '../../testing/test-gateway.ts';
import { stageLibrary } from '../../testing/library-stage.ts';

const library = stageLibrary();

describe('Compression', () => {
  function postRaw(
    gateway: TestGateway,
    query: string,
    encoding: string,
  ): Promise<{ encoding?: string; body: Buffer }> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'accept-encoding': encoding };
      const sent = httpRequest(`${gateway.url}/graphql`, { method: 'POST', headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ encoding: String(response.headers['content-encoding']), body: Buffer.concat(chunks) }),
        );
      });
      sent.on('error', reject);
      sent.end(JSON.stringify({ query }));
    });
  }
  const LARGE = '{ __schema { types { name description fields { name description } } } }';

  it('is done for those who accept it, and where it is worth it', async () => {
    const gateway = await library.start({});
    const plain = await postRaw(gateway, LARGE, 'identity');
    expect(plain.encoding).toBe('undefined');
    const gzip = await postRaw(gateway, LARGE, 'gzip');
    expect([gzip.encoding, gunzipSync(gzip.body).equals(plain.body)]).toEqual(['gzip', true]);
    const brotli = await postRaw(gateway, LARGE, 'gzip, br');
    expect([brotli.encoding, brotliDecompressSync(brotli.body).equals(plain.body)]).toEqual(['br', true]);
    expect((await postRaw(gateway, '{ public }', 'gzip')).encoding).toBe('undefined');
  });

  it('can be switched off', async () => {
    const gateway = await library.start({ settings: 'http: { compression: false }' });
    expect((await postRaw(gateway, LARGE, 'gzip')).encoding).toBe('undefined');
  });
});
