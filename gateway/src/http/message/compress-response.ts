import { promisify } from 'node:util';
import { brotliCompress, constants, deflate, gzip } from 'node:zlib';
import { Negotiator } from '@fastify/accept-negotiator';
import type { HttpResponse } from './http-exchange.ts';

type Coding = 'br' | 'gzip' | 'deflate';

/** The more is saved for the time, the better; the library's own choice for Brotli takes seconds for a megabyte. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const brotli = promisify<Buffer, typeof BROTLI, Buffer>(brotliCompress);
const COMPRESS: Readonly<Record<Coding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) => brotli(body, BROTLI),
  gzip: promisify<Buffer, Buffer>(gzip),
  deflate: promisify<Buffer, Buffer>(deflate),
};
/** What is compressed depends on nothing else: headers that no one sends twice are not remembered. */
const negotiator = new Negotiator<Coding | 'identity'>({
  supportedValues: ['br', 'gzip', 'deflate', 'identity'],
});

/**
 * Compresses a response for a client that accepts it, beside the event loop.
 *
 * @param minBytes smaller ones stay as they are; absent where none is compressed
 * @see RFC 9110 §8.4, §12.5.3
 */
export function compressResponse(
  response: HttpResponse,
  acceptEncoding: string | string[] | undefined,
  minBytes: number | undefined,
): HttpResponse | Promise<HttpResponse> {
  if (minBytes === undefined || acceptEncoding === undefined) return response;
  const { body } = response;
  if (Buffer.byteLength(body) < minBytes) return response;
  const coding = negotiator.negotiate(String(acceptEncoding).toLowerCase());
  return coding === null || coding === 'identity' ? response : compressed(response, coding);
}

async function compressed(response: HttpResponse, coding: Coding): Promise<HttpResponse> {
  const { headers, body } = response;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const vary = headers['vary'] === undefined ? 'accept-encoding' : `${headers['vary']}, accept-encoding`;
  return {
    ...response,
    headers: { ...headers, vary, 'content-encoding': coding },
    body: await COMPRESS[coding](bytes),
  };
}
