import { RegistryError } from '../registry-error.ts';

/**
 * The body of a response.
 *
 * @param signal of who asked: what it ends fails with its reason
 * @throws RegistryError BLOB_ALTERED where it is longer than allowed; STORE_UNAVAILABLE where it does not come to its end
 */
export async function readAtMost(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes)
        throw new RegistryError('BLOB_ALTERED', `The registry sent more than ${maxBytes} bytes.`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof RegistryError) throw error;
    if (signal.aborted) throw signal.reason;
    // A connection that was lost, or a request that took too long.
    throw new RegistryError('STORE_UNAVAILABLE', 'The registry did not send its response to the end.', {
      cause: error,
    });
  }
  return Buffer.concat(chunks);
}
