import { createHash } from 'node:crypto';
import type { PersistedQueryStore } from '../caching/persisted-query-store.ts';
import type { GraphRequest } from '../context.ts';
import { refused } from '../errors.ts';

/** The text of an operation. */
export interface ResolvedText {
  readonly text: string;
  /** The hash under which the text is to be stored once it has proved valid. */
  readonly storeAs: string | undefined;
}

const SHA256_HEX = /^[0-9a-f]{64}$/;

/**
 * Stage: request → text of the operation. A request with a hash and no text is answered from the store; one with both
 * is checked, so that nothing can be stored under a hash that is not its own.
 *
 * @throws RequestRefused BAD_REQUEST, PERSISTED_QUERY_NOT_FOUND, PERSISTED_QUERY_MISMATCH
 */
export async function resolvePersistedQuery(
  request: GraphRequest,
  store: PersistedQueryStore,
): Promise<ResolvedText> {
  const hash = hashOf(request.extensions);
  if (hash === undefined) return { text: textOf(request), storeAs: undefined };
  if (request.query) {
    if (sha256(request.query) !== hash)
      throw refused('PERSISTED_QUERY_MISMATCH', 'The text does not have the hash that came with it.');
    return { text: request.query, storeAs: hash };
  }
  const text = await store.get(hash);
  if (text === undefined) throw refused('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
  return { text, storeAs: undefined };
}

/** SHA-256 of an operation's text, in lower-case hexadecimal, as clients of persisted queries compute it. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function textOf(request: GraphRequest): string {
  if (request.query) return request.query;
  throw refused('BAD_REQUEST', 'The request has no "query".');
}

function hashOf(extensions: Readonly<Record<string, unknown>>): string | undefined {
  const persisted = ownMember(extensions, 'persistedQuery');
  if (persisted === undefined || persisted === null) return undefined;
  if (ownMember(persisted, 'version') !== 1)
    throw refused('PERSISTED_QUERY_MISMATCH', 'Persisted queries of version 1 are served, no others.');
  const hash = ownMember(persisted, 'sha256Hash');
  if (typeof hash === 'string' && SHA256_HEX.test(hash)) return hash;
  throw refused('PERSISTED_QUERY_MISMATCH', 'sha256Hash has to be 64 characters of 0-9 and a-f.');
}

function ownMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name]; // an object with this own member
}
