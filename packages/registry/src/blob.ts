import { createHash } from 'node:crypto';
import { z } from 'zod';
import { RegistryError } from './registry-error.ts';

/** The largest text that a registry takes: 32 MB. */
export const MAX_BLOB_BYTES: number = 32 * 1024 * 1024;

/** Names a text by what it is. */
export interface BlobReference {
  /** SHA-256, 64 hexadecimal digits. */
  readonly digest: string;
  readonly bytes: number;
}

/** Reads a {@link BlobReference}. */
export const blobReference: z.ZodType<BlobReference> = z.object({
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().min(0).max(MAX_BLOB_BYTES),
});

/** SHA-256 of a text or of bytes, in hexadecimal digits. */
export function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * The reference of a text that is to be written.
 *
 * @throws RegistryError TOO_LARGE
 */
export function referenceOf(content: Uint8Array): BlobReference {
  if (content.byteLength > MAX_BLOB_BYTES)
    throw new RegistryError('TOO_LARGE', `A text of ${content.byteLength} bytes exceeds ${MAX_BLOB_BYTES}.`);
  return { digest: digestOf(content), bytes: content.byteLength };
}
