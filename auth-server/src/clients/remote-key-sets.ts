import { isBoundedKey } from '@trellis/admission';
import { createLocalJWKSet, errors, type JWK, type JWTVerifyGetKey } from 'jose';
import type { AddressGuard } from '../outbound/address-guard.ts';
import { sendGuarded } from '../outbound/guarded-request.ts';

/** Key sets that clients publish at addresses of their own. */
export interface RemoteKeySets {
  /**
   * Looks keys up in the set at an address, which is fetched when it is first needed, when it is old, and when it lacks a key.
   *
   * @returns a function that throws where the set can't be had, or has no key for a signature
   */
  at(uri: string): JWTVerifyGetKey;
  /** Aborts all fetches. */
  close(): void;
}

/** What {@link createRemoteKeySets} works with. */
export interface RemoteKeySetsDependencies {
  readonly guard: AddressGuard;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Called after each fetch. @param problem undefined where it has succeeded */
  readonly onFetched: (uri: string, problem: string | undefined) => void;
}

/** Milliseconds for which a set is used without a look at its address. */
const FRESH_MS = 300_000;
/** Milliseconds for which a set is used while its address does not respond: as long a removed key may still be accepted. */
const USABLE_MS = 3_600_000;
/** Fewest milliseconds between two fetches of one set, whatever keys are asked for. */
const PAUSE_MS = 10_000;
const MAX_BYTES = 65_536;
const MAX_KEYS = 50;
const MAX_SETS = 1_000;
/** Most fetches at a time. */
const MAX_FETCHES = 50;

interface RemoteKeySet {
  readonly uri: string;
  keys: JWTVerifyGetKey | undefined;
  /** When `keys` were fetched, and when a fetch was last begun, milliseconds since 1970. */
  fetchedAt: number;
  triedAt: number;
  /** Why the last fetch failed. */
  problem: string | undefined;
  fetching: Promise<void> | undefined;
}

/** Key sets, remembered within bounds. One fetch at a time serves everybody who waits for the same set. */
export function createRemoteKeySets(dependencies: RemoteKeySetsDependencies): RemoteKeySets {
  const { clock } = dependencies;
  const closing = new AbortController();
  const sets = new Map<string, RemoteKeySet>();
  let fetches = 0;

  const setAt = (uri: string): RemoteKeySet => {
    const known = sets.get(uri);
    if (known) return known;
    if (sets.size >= MAX_SETS) sets.delete(sets.keys().next().value ?? '');
    const set = { uri, keys: undefined, fetchedAt: 0, triedAt: 0, problem: undefined, fetching: undefined };
    sets.set(uri, set);
    return set;
  };
  const fetchInto = async (set: RemoteKeySet): Promise<void> => {
    set.triedAt = clock();
    fetches += 1;
    try {
      set.keys = parseKeySet(await fetchText(set.uri, dependencies.guard, closing.signal));
      set.fetchedAt = set.triedAt;
      set.problem = undefined;
    } catch (error) {
      set.problem = error instanceof Error ? error.message : String(error);
    } finally {
      fetches -= 1;
      set.fetching = undefined;
    }
    dependencies.onFetched(set.uri, set.problem);
  };
  /** Fetches, or joins a fetch, unless there was one a moment ago. */
  const refresh = async (set: RemoteKeySet): Promise<void> => {
    const isTooSoon = clock() - set.triedAt < PAUSE_MS;
    if (!set.fetching && (isTooSoon || fetches >= MAX_FETCHES)) return;
    await (set.fetching ??= fetchInto(set));
  };
  const usableKeys = (set: RemoteKeySet): JWTVerifyGetKey => {
    if (set.keys && clock() - set.fetchedAt < USABLE_MS) return set.keys;
    throw new Error(`jwks_uri: ${set.problem ?? 'too many key sets are being fetched'}`);
  };
  return {
    at: (uri) => async (header, token) => {
      const set = setAt(uri);
      if (clock() - set.fetchedAt >= FRESH_MS) await refresh(set);
      try {
        return await usableKeys(set)(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        await refresh(set);
        return usableKeys(set)(header, token);
      }
    },
    close: () => closing.abort(),
  };
}

async function fetchText(uri: string, guard: AddressGuard, signal: AbortSignal): Promise<string> {
  const headers = { accept: 'application/jwk-set+json, application/json' };
  const request = { method: 'GET', url: new URL(uri), headers, maxBytes: MAX_BYTES, signal } as const;
  const { status, body } = await sendGuarded(request, guard);
  if (status !== 200) throw new Error(`The status is ${status}.`);
  return body;
}

/** Keys that are not for this server are ignored (RFC 7517 §5), and so is one that is private: it is no secret any more. */
function parseKeySet(text: string): JWTVerifyGetKey {
  const value: unknown = JSON.parse(text);
  const { keys } = (typeof value === 'object' && value !== null ? value : {}) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new Error('It is no JSON Web Key Set.');
  if (keys.length > MAX_KEYS) throw new Error(`It has more than ${MAX_KEYS} keys.`);
  const usable = keys.filter(isUsable);
  if (usable.length === 0) throw new Error('It has no key of RSA, P-256 or Ed25519.');
  return createLocalJWKSet({ keys: usable });
}

function isUsable(key: unknown): key is JWK {
  if (typeof key !== 'object' || key === null || 'd' in key) return false;
  return isBoundedKey(key); // which looks at members alone
}
