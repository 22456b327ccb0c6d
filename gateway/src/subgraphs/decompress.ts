import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { SubgraphFailure } from './subgraph-failure.ts';

type Decoder = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const decoders: ReadonlyMap<string, Decoder> = new Map([
  ['gzip', promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip)],
  ['x-gzip', promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip)],
  ['deflate', promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate)],
  ['br', promisify<Buffer, { maxOutputLength: number }, Buffer>(brotliDecompress)],
]);

/**
 * Decompresses what a subgraph sent compressed, although it was not asked to.
 *
 * @throws SubgraphFailure when the encoding is not known, the body is broken, or it grows beyond the cap
 */
export async function decompress(
  subgraph: string,
  body: Buffer,
  encoding: string,
  maxBytes: number,
): Promise<Buffer> {
  const decode = decoders.get(encoding.trim().toLowerCase());
  if (!decode)
    throw new SubgraphFailure(
      subgraph,
      'encoding',
      `The subgraph "${subgraph}" answered in an encoding that is not supported.`,
    );
  try {
    return await decode(body, { maxOutputLength: maxBytes });
  } catch (cause) {
    const message = `The subgraph "${subgraph}" answered a compressed body that is broken or too large.`;
    throw new SubgraphFailure(subgraph, 'encoding', message, cause);
  }
}
