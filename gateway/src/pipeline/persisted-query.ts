import type { ShareBuckets } from '@trellis/admission';
import { shareKeysOfCaller, type Caller } from '../identity/caller.ts';
import { ENTRY_BYTES, type PersistedQueryStore } from '../caching/persisted-query-store.ts';
import type { Safelist } from '../caching/safelist.ts';
import type { GraphRequest } from '../request/context.ts';
import { rejected } from '../errors.ts';
import { documentReferenceOf } from './document-id.ts';
import { sha256 } from '../operation/document/sha256.ts';

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
  const reference = documentReferenceOf(request);
  if (reference === undefined) return { text: textOf(request) };
  if (reference.kind === 'no hash')
    throw rejected('PERSISTED_QUERY_MISMATCH', 'A hash has to be 64 characters of 0-9 and a-f.');
  if (reference.kind === 'custom') return { text: request.query ?? textNotFound() }; // only hashes are stored
  const { hash } = reference;
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

/** A client with automatic persisted queries sends its text then. */
function textNotFound(): never {
  throw rejected('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
}

async function fetchText(hash: string, store: PersistedQueryStore): Promise<ResolvedText> {
  const text = await store.get(hash);
  return { text: text ?? textNotFound() };
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
  const reference = documentReferenceOf(request);
  if (reference === undefined) return textOf(request);
  const text = safelist().textOf(reference.kind === 'hash' ? reference.hash : reference.id);
  if (text !== undefined) return text;
  if (enforced) throw rejected('PERSISTED_QUERY_REQUIRED', 'The safelist has no operation of this id.');
  return textNotFound();
}

function resolveText(request: GraphRequest): ResolvedText {
  if (!request.query && documentReferenceOf(request) !== undefined)
    throw rejected('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
  return { text: textOf(request) };
}

function textOf({ query }: GraphRequest): string {
  if (query) return query;
  throw rejected('BAD_REQUEST', 'The request has no "query".');
}
