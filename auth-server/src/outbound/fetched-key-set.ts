import { isBoundedKey } from '@trellis/runtime/dpop';
import { createLocalJWKSet, errors, type JWK, type JWTVerifyGetKey } from 'jose';

/** A key set can't be had now: what is signed by its keys may be good. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

/** Media types of key sets. RFC 7517 §8.5 */
export const KEY_SET_TYPES = 'application/jwk-set+json, application/json';

/** A key set that someone else publishes. */
export interface FetchedKeySet {
  /** Finds the key of a signature. @throws KeysUnavailable, JWKSNoMatchingKey */
  readonly find: JWTVerifyGetKey;
  /** Whether a key is in the set, whatever its kind, but for private ones. @throws KeysUnavailable */
  has(matches: (key: JWK) => boolean): Promise<boolean>;
}

/** Settings of {@link createFetchedKeySet}. */
export interface FetchedKeySetOptions {
  /** Reads the text of the set from where it is published. */
  readonly load: () => Promise<string>;
  /** Whether a fetch may begin now. @default always */
  readonly mayLoad?: () => boolean;
  /** Called after each fetch. @param problem undefined where it has succeeded */
  readonly onLoaded: (problem: string | undefined) => void;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Milliseconds for which a set is used without a look at where it is published. @default 300_000 */
  readonly freshMs?: number;
  /** Milliseconds for which a set is used while it can't be fetched: as long a removed key may still be accepted. @default 3_600_000 */
  readonly usableMs?: number;
  /** Fewest milliseconds between two fetches, whatever keys are asked for and whether they succeed. @default 10_000 */
  readonly pauseMs?: number;
}

/** Most keys of a set. */
const MAX_KEYS = 50;

/**
 * Looks keys up in a set that someone else publishes: fetched at first need, when it is old, and when it lacks a key. However
 * many ask, one fetch runs.
 */
export function createFetchedKeySet(options: FetchedKeySetOptions): FetchedKeySet {
  const { load, mayLoad = () => true, onLoaded, clock } = options;
  const { freshMs = 300_000, usableMs = 3_600_000, pauseMs = 10_000 } = options;
  let keys: ParsedKeySet | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let problem: string | undefined;
  let fetching: Promise<void> | undefined;

  const fetchKeys = async (): Promise<void> => {
    triedAt = clock();
    try {
      keys = parseKeySet(await load());
      fetchedAt = triedAt;
      problem = undefined;
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    } finally {
      fetching = undefined;
    }
    onLoaded(problem);
  };
  /** Fetches, or joins a fetch, unless there was one a moment ago. */
  const refresh = async (): Promise<void> => {
    if (!fetching && (clock() - triedAt < pauseMs || !mayLoad())) return;
    await (fetching ??= fetchKeys());
  };
  const usableKeys = (): ParsedKeySet => {
    if (keys && clock() - fetchedAt < usableMs) return keys;
    throw new KeysUnavailable(`The key set is unavailable. ${problem ?? 'No fetch may begin now.'}`);
  };
  const freshKeys = async (): Promise<ParsedKeySet> => {
    if (clock() - fetchedAt >= freshMs) await refresh();
    return usableKeys();
  };
  return {
    find: async (header, token) => {
      try {
        return await (await freshKeys()).find(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        await refresh();
        return usableKeys().find(header, token);
      }
    },
    has: async (matches) => {
      if ((await freshKeys()).keys.some(matches)) return true;
      await refresh();
      return usableKeys().keys.some(matches);
    },
  };
}

interface ParsedKeySet {
  /** All but private ones. */
  readonly keys: readonly JWK[];
  /** Among those that signatures may be verified by. */
  readonly find: JWTVerifyGetKey;
}

/** Keys that are not for this server are ignored (RFC 7517 §5), and so is one that is private: it is no secret any more. */
function parseKeySet(text: string): ParsedKeySet {
  const value: unknown = JSON.parse(text);
  const { keys } = (typeof value === 'object' && value !== null ? value : {}) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new Error('It is no JSON Web Key Set.');
  if (keys.length > MAX_KEYS) throw new Error(`It has more than ${MAX_KEYS} keys.`);
  const known = keys.filter(isPublic);
  const usable = known.filter(isBoundedKey); // which looks at members alone
  if (usable.length === 0 && !known.some(({ x5c }) => x5c))
    throw new Error('It has no key of RSA, P-256 or Ed25519.');
  return { keys: known, find: createLocalJWKSet({ keys: usable }) };
}

function isPublic(key: unknown): key is JWK {
  return typeof key === 'object' && key !== null && !('d' in key);
}
