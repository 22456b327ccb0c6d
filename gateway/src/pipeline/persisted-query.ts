import type { ShareBuckets } from '@trellis/runtime/admission';
import { ownOf } from '@trellis/runtime/own-property';
import { shareKeysOfCaller, type Caller, type NamesItself } from '../identity/caller.ts';
import { ENTRY_BYTES, type PersistedQueryStore } from '../caching/persisted-query-store.ts';
import { isRetired, type Retirement, type Safelist } from '../caching/safelist.ts';
import type { GraphRequest } from '../request/context.ts';
import { rejected } from '../errors.ts';
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
      /** That of the client who sends a request. The caller has to be given where {@link needsCaller}. */
      readonly safelistOf: (context: NamesItself, caller: Caller | undefined) => Safelist;
      /** Whether there are lists of OAuth clients. */
      readonly needsCaller: boolean;
      /** What any client may run. */
      readonly all: Safelist;
      readonly enforced: boolean;
      readonly onUnlisted: (text: string) => void;
      readonly onRetired: (retirement: Retirement) => void;
    };

/** The text of an operation. */
interface ResolvedText {
  readonly text: string;
  /** Stores the text, once its operation was let in, as far as the caller's share goes. */
  readonly store?: ((caller: Caller, address: string) => void) | undefined;
}

/**
 * Stage: request → text of the operation.
 *
 * @param caller who sends it, where that is known already
 * @throws RequestError BAD_REQUEST, PERSISTED_QUERY_NOT_FOUND, PERSISTED_QUERY_MISMATCH, PERSISTED_QUERY_NOT_SUPPORTED,
 *   PERSISTED_QUERY_REQUIRED, CLIENT_RETIRED
 */
export function resolvePersistedQuery(
  request: GraphRequest,
  policy: PersistedQueryPolicy,
  context: NamesItself,
  caller?: Caller,
): ResolvedText | Promise<ResolvedText> {
  switch (policy.kind) {
    case 'automatic':
      return resolveAutomatic(request, policy);
    case 'safelist':
      return resolveSafelisted(request, policy, policy.safelistOf(context, caller));
    case 'off':
      return resolveText(request);
    default:
      return policy satisfies never;
  }
}

/** Whether the operator has listed an operation. */
export function isListed(text: string, policy: PersistedQueryPolicy): boolean {
  return policy.kind === 'safelist' && policy.all.has(text);
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

function resolveSafelisted(request: GraphRequest, policy: SafelistPolicy, safelist: Safelist): ResolvedText {
  const { query } = request;
  const { retirement } = safelist;
  if (retirement && isRetired(retirement)) rejectRetired(retirement, policy);
  return query ? admitText(query, policy, safelist) : { text: listedText(request, policy, safelist) };
}

function rejectRetired(retirement: Retirement, { enforced, onRetired }: SafelistPolicy): void {
  onRetired(retirement);
  const { client, at } = retirement;
  const day = at.toISOString().slice(0, 10);
  if (enforced)
    throw rejected('CLIENT_RETIRED', `${client} was retired on ${day}. Update it to a later version.`);
}

function admitText(text: string, { enforced, onUnlisted }: SafelistPolicy, safelist: Safelist): ResolvedText {
  if (safelist.has(text)) return { text };
  onUnlisted(text);
  if (enforced) throw rejected('PERSISTED_QUERY_REQUIRED', 'This operation is not on the safelist.');
  return { text };
}

function listedText(request: GraphRequest, { enforced }: SafelistPolicy, safelist: Safelist): string {
  const reference = documentReferenceOf(request);
  if (reference === undefined) return textOf(request);
  const text = safelist.textOf(reference.kind === 'hash' ? reference.hash : reference.id);
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

/** What stands in the place of a text. */
type DocumentReference =
  /** SHA-256 of the text, 64 characters of 0-9 and a-f. */
  | { readonly kind: 'hash'; readonly hash: string }
  /** A name that only those who have persisted the text know the meaning of. */
  | { readonly kind: 'custom'; readonly id: string }
  /** What a client sends as a hash and is none; manifests may have it as an id. */
  | { readonly kind: 'no hash'; readonly id: string };

const SHA256_HEX = /^[0-9a-f]{64}$/;

/** What a request has in the place of a text: by the Apollo protocol, else by the `documentId` of GraphQL over HTTP. */
function documentReferenceOf({ extensions, documentId }: GraphRequest): DocumentReference | undefined {
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
