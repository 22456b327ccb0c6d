import type { Readable, Transform } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { own } from '@trellis/runtime/own-property';

/**
 * What unpacks a body, by its encoding. Both hold a window of 32 KiB; brotli and Zstandard reserve megabytes for a body of a
 * few bytes that asks for them.
 */
const UNPACKERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip, // RFC 9110 §8.4.1.3
  deflate: createInflate,
};

/** What unpacking takes beside the bytes that it yields. */
export const UNPACKING_BYTES = 49_152;

/** A compressed body as it is read. The framework compares the length with the one that the client has declared. */
export interface UnpackedBody extends Transform {
  /** Bytes of the compressed body so far. */
  receivedEncodedLength: number;
}

/** Whether {@link unpackBody} takes it. Several encodings, one behind the other, are none. */
export function canUnpack(encoding: string): boolean {
  return own(UNPACKERS, encoding) !== undefined;
}

/** The error that zlib reports for a body that is cut off, or is not in the encoding that its header names. */
export function isUnpackingError({ code }: { readonly code?: unknown }): boolean {
  return typeof code === 'string' && code.startsWith('Z_');
}

/**
 * Unpacks a body while it arrives, no faster than it is read. It is neither held nor bounded here: who reads it counts the
 * bytes, and destroys it where they are too many; the rest of the body is then dropped.
 *
 * @param encoding one that {@link canUnpack} takes
 * @param onReceived called with the compressed bytes so far, as they may be many and yield nothing
 */
export function unpackBody(
  body: Readable,
  encoding: string,
  onReceived: (bytes: number) => void,
): UnpackedBody {
  const create = own(UNPACKERS, encoding);
  if (create === undefined) throw new Error(`There is nothing that unpacks ${encoding}.`);
  const unpacked: UnpackedBody = Object.assign(create(), { receivedEncodedLength: 0 });
  const count = (chunk: Buffer): void => {
    unpacked.receivedEncodedLength += chunk.length;
    onReceived(unpacked.receivedEncodedLength);
  };
  body.on('data', count);
  body.on('error', (error) => unpacked.destroy(error)); // the client has disconnected
  unpacked.on('error', () => undefined); // its reader hears of the first one
  unpacked.once('close', () => {
    body.off('data', count).unpipe(unpacked).resume();
  });
  return body.pipe(unpacked);
}
