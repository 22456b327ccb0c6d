/** Milliseconds for one exchange. */
const DEADLINE_MS = 5_000;
/** Longest document that is read. */
const MAX_BYTES = 262_144;

/** An issuer can't be asked now, or does not answer with what was asked for. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable';
}

/**
 * Reads a JSON document of an issuer that the operator trusts. Redirects are not followed: they would lead where the operator did
 * not point.
 *
 * @throws IssuerUnavailable
 */
export async function fetchIssuerJson(url: string): Promise<unknown> {
  try {
    const response = await fetch(url, {
      redirect: 'error',
      headers: { accept: 'application/json, application/jwk-set+json' },
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    if (response.status !== 200) throw new Error(`${url} has the status ${response.status}.`);
    return JSON.parse(await readBounded(response)) as unknown;
  } catch (error) {
    throw new IssuerUnavailable(error instanceof Error ? error.message : 'unknown', { cause: error });
  }
}

async function readBounded({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    const bytes = chunk as Uint8Array; // a body is a stream of bytes
    size += bytes.length;
    if (size > MAX_BYTES) throw new Error(`The document has more than ${MAX_BYTES} bytes.`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
