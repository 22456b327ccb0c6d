import type { ShareBuckets } from '@trellis/admission';
import { shareKeysOfCaller, type Caller } from '../identity/caller.ts';
import { ENTRY_BYTES, type PersistedQueryStore } from '../caching/persisted-query-store.ts';
import type { Safelist } from '../caching/safelist.ts';
import type { GraphRequest } from '../request/context.ts';
import { rejected } from '../errors.ts';
import { sha256 } from '../operation/document/sha256.ts';
import { ownOf } from '../own-property.ts';

/** What clients may send in the place of an operation's text, and whether they may send any text. */
export type PersistedQueryPolicy =
  /** Any text; and hashes of texts that were sent before. */
  | {
      readonly kind: 'automatic';
      readonly store: PersistedQueryStore;
      /** Bytes that each caller may have stored. */
      readonly shares: ShareBuckets;
    }
  /** Any text; no hashes. */
  | { readonly kind: 'off' }
  /** What the safelist has, by its id or as its text. Unless enforced, other texts are logged and served. */
  | {
      readonly kind: 'safelist';
      readonly safelist: () => Safelist;
      readonly enforced: boolean;
      readonly onUnlisted: (text: string) => void;
    };

/** The text of an operation. */
export interface ResolvedText {
  readonly text: string;
  /** Stores the text, once its operation was let in, as far as the caller's share goes. */
  readonly store?: ((caller: Caller, address: string) => void) | undefined;
}

/**
 * Stage: request → text of the operation.
 *
 * @throws RequestError BAD_REQUEST, PERSISTED_QUERY_NOT_FOUND, PERSISTED_QUERY_MISMATCH, PERSISTED_QUERY_NOT_SUPPORTED,
 *   PERSISTED_QUERY_REQUIRED
 */
export function resolvePersistedQuery(
  request: GraphRequest,
  policy: PersistedQueryPolicy,
): ResolvedText | Promise<ResolvedText> {
  switch (policy.kind) {
    case 'automatic':
      return resolveAutomatic(request, policy);
    case 'safelist':
      return resolveSafelisted(request, policy);
    case 'off':
      return resolveText(request);
    default:
      return policy satisfies never;
  }
}

/** Whether the operator has listed an operation. */
export function isListed(text: string, policy: PersistedQueryPolicy): boolean {
  return policy.kind === 'safelist' && policy.safelist().has(text);
}

/** A hash with a text is checked, so that nothing can be stored under a hash that is not its own. */
function resolveAutomatic(
  request: GraphRequest,
  { store, shares }: Extract<PersistedQueryPolicy, { kind: 'automatic' }>,
): ResolvedText | Promise<ResolvedText> {
  const hash = readHash(request);
  if (hash === undefined) return { text: textOf(request) };
  const { query } = request;
  if (!query) return fetchText(hash, store);
  if (sha256(query) !== hash)
    throw rejected('PERSISTED_QUERY_MISMATCH', 'The text does not have the hash that came with it.');
  return {
    text: query,
    store(caller, address) {
      const bytes = query.length + ENTRY_BYTES; // short texts take up room as well
      if (store.takes(hash, query) && shares.take(shareKeysOfCaller(caller, address), bytes) === 0)
        store.set(hash, query);
    },
  };
}

async function fetchText(hash: string, store: PersistedQueryStore): Promise<ResolvedText> {
  const text = await store.get(hash);
  if (text === undefined) throw rejected('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
  return { text };
}

type SafelistPolicy = Extract<PersistedQueryPolicy, { kind: 'safelist' }>;

function resolveSafelisted(request: GraphRequest, policy: SafelistPolicy): ResolvedText {
  const { query } = request;
  return query ? admitText(query, policy) : { text: listedText(request, policy) };
}

function admitText(text: string, { safelist, enforced, onUnlisted }: SafelistPolicy): ResolvedText {
  if (safelist().has(text)) return { text };
  onUnlisted(text);
  if (enforced) throw rejected('PERSISTED_QUERY_REQUIRED', 'This operation is not on the safelist.');
  return { text };
}

function listedText(request: GraphRequest, { safelist, enforced }: SafelistPolicy): string {
  const id = readId(request);
  if (id === undefined) return textOf(request);
  const text = safelist().textOf(id);
  if (text !== undefined) return text;
  if (enforced) throw rejected('PERSISTED_QUERY_REQUIRED', 'The safelist has no operation of this id.');
  throw rejected('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound'); // the client sends its text then
}

function resolveText(request: GraphRequest): ResolvedText {
  if (!request.query && readId(request) !== undefined)
    throw rejected('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
  return { text: textOf(request) };
}

/** Whether a request has neither a text nor anything that stands for one. */
export function namesNoOperation({ query, documentId, extensions }: GraphRequest): boolean {
  const hash = ownOf(ownOf(extensions, 'persistedQuery'), 'sha256Hash') ?? '';
  return !query && !documentId && hash === '';
}

function textOf({ query }: GraphRequest): string {
  if (query) return query;
  throw rejected('BAD_REQUEST', 'The request has no "query".');
}

const SHA256_HEX = /^[0-9a-f]{64}$/;

function readHash(request: GraphRequest): string | undefined {
  const hash = readId(request);
  if (hash === undefined || SHA256_HEX.test(hash)) return hash;
  throw rejected('PERSISTED_QUERY_MISMATCH', 'A hash has to be 64 characters of 0-9 and a-f.');
}

/** From `extensions.persistedQuery`, or from the member that GraphQL over HTTP names `documentId`. */
function readId({ extensions, documentId }: GraphRequest): string | undefined {
  const persisted = ownOf(extensions, 'persistedQuery');
  if (persisted === undefined || persisted === null) return documentId?.replace(/^sha256:/, '');
  if (ownOf(persisted, 'version') !== 1)
    throw rejected('PERSISTED_QUERY_MISMATCH', 'Persisted queries of version 1 are served, no others.');
  const hash = ownOf(persisted, 'sha256Hash');
  if (typeof hash === 'string') return hash;
  throw rejected('PERSISTED_QUERY_MISMATCH', 'sha256Hash has to be a string.');
}
