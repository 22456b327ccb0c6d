import { request } from 'undici';
import type { SupergraphSource } from './supergraph-source.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 32 * 1024 * 1024;

/** A supergraph behind a URL. An `ETag` saves sending what has not changed. Redirects are not followed. */
export function createUrlSource(url: string): SupergraphSource {
  let etag: string | undefined;
  const { origin, pathname } = new URL(url);
  return {
    description: `${origin}${pathname}`,
    async read(signal) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
      const headers = etag === undefined ? {} : { 'if-none-match': etag };
      const response = await request(url, { headers, signal: limit });
      if (response.statusCode === 304) {
        await response.body.dump();
        return undefined;
      }
      if (response.statusCode !== 200) {
        await response.body.dump();
        throw new Error(`${origin}${pathname} answered ${response.statusCode}.`);
      }
      const text = await readCapped(response.body);
      etag = [response.headers['etag']].flat()[0];
      return text;
    },
  };
}

async function readCapped(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`The supergraph is larger than ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
