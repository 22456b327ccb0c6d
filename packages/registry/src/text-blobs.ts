import { digestOf, referenceOf, type BlobReference } from './blob.ts';
import { RegistryError } from './registry-error.ts';
import type { RegistryStore } from './registry-store.ts';

/** Writes a text, and returns what names it. Texts that the store holds already are left as they are. */
export async function writeTextBlob(
  store: RegistryStore,
  text: string,
  signal: AbortSignal,
): Promise<BlobReference> {
  const content = Buffer.from(text, 'utf8');
  const reference = referenceOf(content);
  await store.writeBlob(reference, content, signal);
  return reference;
}

/**
 * Reads a text, and holds it against its reference.
 *
 * @throws RegistryError BLOB_MISSING, BLOB_ALTERED
 */
export async function readTextBlob(
  store: RegistryStore,
  { digest, bytes }: BlobReference,
  signal: AbortSignal,
): Promise<string> {
  const content = await store.readBlob(digest, bytes, signal);
  if (!content)
    throw new RegistryError(
      'BLOB_MISSING',
      `${store.description} has no text ${digest}, which a record names.`,
    );
  if (content.byteLength === bytes && digestOf(content) === digest)
    return Buffer.from(content).toString('utf8');
  throw new RegistryError(
    'BLOB_ALTERED',
    `The text ${digest} in ${store.description} is not what its name says. Restore it from a backup, or publish it again.`,
  );
}
