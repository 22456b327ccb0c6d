import type { JSONWebKeySet } from 'jose';
import { fetchJson } from './fetch-json.ts';

/**
 * Reads a JWKS. Redirects are not followed; the whole exchange takes at most 5 s, the response at most 256 KiB.
 *
 * @param timeoutMs milliseconds for the whole exchange
 * @throws Error when there is no such response
 */
export async function fetchKeySet(url: string, timeoutMs?: number): Promise<JSONWebKeySet> {
  const accept = 'application/jwk-set+json, application/json';
  const keys = await fetchJson(url, {
    what: 'key set',
    accept,
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  return keys as JSONWebKeySet; // judged by createLocalJWKSet
}
