import type { AddressGuard } from '../outbound/address-guard.ts';
import { createFetchedKeySet, KEY_SET_TYPES, type FetchedKeySet } from '../outbound/fetched-key-set.ts';
import { readDocument } from '../outbound/read-document.ts';

/** Key sets that clients publish at addresses of their own. */
export interface RemoteKeySets {
  /** The set at an address, which is fetched when it is first needed, when it is old, and when it lacks a key. */
  at(uri: string): FetchedKeySet;
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

const MAX_BYTES = 65_536;
const MAX_SETS = 1_000;
/** Most fetches at a time. */
const MAX_FETCHES = 50;

/** Key sets, remembered within bounds. */
export function createRemoteKeySets({ guard, clock, onFetched }: RemoteKeySetsDependencies): RemoteKeySets {
  const closing = new AbortController();
  const sets = new Map<string, FetchedKeySet>();
  let fetches = 0;

  const load = async (url: string): Promise<string> => {
    const { signal } = closing;
    fetches += 1;
    try {
      return await readDocument({ url, accept: KEY_SET_TYPES, maxBytes: MAX_BYTES, signal }, guard);
    } finally {
      fetches -= 1;
    }
  };
  const createSet = (uri: string): FetchedKeySet =>
    createFetchedKeySet({
      load: () => load(uri),
      mayLoad: () => fetches < MAX_FETCHES,
      onLoaded: (problem) => onFetched(uri, problem),
      clock,
    });
  return {
    at: (uri) => {
      const known = sets.get(uri);
      if (known) return known;
      if (sets.size >= MAX_SETS) sets.delete(sets.keys().next().value ?? '');
      const created = createSet(uri);
      sets.set(uri, created);
      return created;
    },
    close: () => closing.abort(),
  };
}
