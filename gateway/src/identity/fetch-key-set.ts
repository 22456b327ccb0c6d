import type { JSONWebKeySet } from 'jose';
import { request } from 'undici';

const DEADLINE_MS = 5_000;
const MAX_BYTES = 262_144;

/**
 * Reads a JWKS. Redirects are not followed; the whole exchange takes at most 5 s, the answer at most 256 KiB.
 *
 * @param timeoutMs milliseconds for the whole exchange
 * @throws Error when there is no such answer
 */
export async function fetchKeySet(url: string, timeoutMs: number = DEADLINE_MS): Promise<JSONWebKeySet> {
  const { statusCode, body } = await request(url, {
    headers: { accept: 'application/jwk-set+json, application/json' },
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await readAtMost(body, MAX_BYTES);
  if (statusCode !== 200) throw new Error(`The key set answered with status ${statusCode}.`);
  return JSON.parse(text) as JSONWebKeySet; // judged by createLocalJWKSet
}

async function readAtMost(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`The key set is larger than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
