import { ownOf } from '../own-property.ts';
import type { GraphRequest } from '../request/context.ts';
import { rejected } from '../errors.ts';

/** What stands in the place of a text. */
export type DocumentReference =
  /** SHA-256 of the text, 64 characters of 0-9 and a-f. */
  | { readonly kind: 'hash'; readonly hash: string }
  /** A name that only those who have persisted the text know the meaning of. */
  | { readonly kind: 'custom'; readonly id: string }
  /** What a client sends as a hash and is none; manifests may have it as an id. */
  | { readonly kind: 'no hash'; readonly id: string };

const SHA256_HEX = /^[0-9a-f]{64}$/;

/** What a request has in the place of a text: by the Apollo protocol, else by the `documentId` of GraphQL over HTTP. */
export function documentReferenceOf({ extensions, documentId }: GraphRequest): DocumentReference | undefined {
  const persisted = ownOf(extensions, 'persistedQuery');
  if (persisted !== undefined && persisted !== null) return readPersistedQuery(persisted);
  return documentId ? readDocumentId(documentId) : undefined;
}

/** Whether a request has neither a text nor anything that stands for one. */
export function namesNoOperation({ query, documentId, extensions }: GraphRequest): boolean {
  const hash = ownOf(ownOf(extensions, 'persistedQuery'), 'sha256Hash') ?? '';
  return !query && !documentId && hash === '';
}

/** @see Apollo Server, "Automatic persisted queries" */
function readPersistedQuery(persisted: unknown): DocumentReference {
  if (ownOf(persisted, 'version') !== 1)
    throw rejected('PERSISTED_QUERY_MISMATCH', 'Persisted queries of version 1 are served, no others.');
  const hash = ownOf(persisted, 'sha256Hash');
  if (typeof hash === 'string') return referenceOf(hash, 'no hash');
  throw rejected('PERSISTED_QUERY_MISMATCH', 'sha256Hash has to be a string.');
}

/**
 * Prefixes that begin with `x-` belong to applications; `sha256` is the only other one so far. Bare hashes are custom
 * identifiers that many clients send.
 *
 * @throws RequestError PERSISTED_QUERY_MISMATCH, BAD_REQUEST
 * @see GraphQL over HTTP, working draft, "Appendix: Persisted Documents"
 */
function readDocumentId(documentId: string): DocumentReference {
  const colon = documentId.indexOf(':');
  if (colon < 0) return referenceOf(documentId, 'custom');
  const prefix = documentId.slice(0, colon);
  if (prefix.startsWith('x-')) return { kind: 'custom', id: documentId };
  if (prefix !== 'sha256')
    throw rejected('BAD_REQUEST', 'A "documentId" begins with "sha256:" or "x-", or has no colon.');
  const hash = documentId.slice(colon + 1);
  if (SHA256_HEX.test(hash)) return { kind: 'hash', hash };
  throw rejected('PERSISTED_QUERY_MISMATCH', 'Behind "sha256:" stand 64 characters of 0-9 and a-f.');
}

function referenceOf(id: string, otherwise: 'custom' | 'no hash'): DocumentReference {
  return SHA256_HEX.test(id) ? { kind: 'hash', hash: id } : { kind: otherwise, id };
}
