import type { OutageLog } from '@trellis/runtime/outage-log';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { authentication } from '../settings/authentication.ts';
import { fetchJson } from './fetch-json.ts';

/** The public keys of one issuer, refreshed as they change. */
export interface KeySet {
  /** Finds the key of a token's header. Rejects as jose does when there is none. @throws KeysUnavailable */
  readonly findKey: JWTVerifyGetKey;
  /** Rises whenever other keys than before were fetched: what was verified earlier may no longer be good. */
  generation(): number;
  /** Fetches the keys if that has not happened yet. @throws KeysUnavailable */
  load(): Promise<void>;
}

/** Settings of {@link createKeySet}. */
interface KeySetOptions {
  /** Reads the issuer's JWKS from where the configuration says it is, never from where a token says. */
  readonly fetchKeys: () => Promise<JSONWebKeySet>;
  /**
   * Milliseconds between two fetches at least, whatever tokens name; 250 until the first has succeeded.
   *
   * @default that of the setting `authentication.jwksCooldownMs`
   */
  readonly cooldownMs?: () => number;
  /** Milliseconds after which keys are fetched again, while the old ones go on serving. @default 300_000 */
  readonly maxAgeMs?: number;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
  /** Hears of fetches. After a failed one the keys at hand stay in use. */
  readonly outages?: OutageLog;
}

/** Until there are any keys, no token can be verified: an issuer that starts beside the gateway is found soon. */
const FIRST_COOLDOWN_MS = 250;

/** No keys were ever fetched, so no token can be judged. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

interface HeldKeys {
  /** Shows whether a fetch brought anything new. */
  readonly text: string;
  readonly find: ReturnType<typeof createLocalJWKSet>;
}

/**
 * Holds an issuer's keys. They are fetched at first need, again when they are old, and again when a token names a key
 * that is not among them, as after a rotation; at most one fetch runs, and at most one per cooldown, however many
 * tokens ask. An issuer that can't be reached, or answers nonsense, leaves the keys at hand in use.
 *
 * @see RFC 7517 §5
 */
export function createKeySet(options: KeySetOptions): KeySet {
  const {
    cooldownMs = () => authentication.members.jwksCooldownMs.default,
    maxAgeMs = 300_000,
    now = Date.now,
  } = options;
  let held: HeldKeys | undefined;
  let generation = 0;
  let fetchedAtMs = Number.NEGATIVE_INFINITY;
  let triedAtMs = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | undefined;

  async function fetchAndHold(): Promise<void> {
    try {
      const keys = parseKeys(await options.fetchKeys());
      options.outages?.succeeded();
      fetchedAtMs = now();
      if (keys.text === held?.text) return;
      held = keys;
      generation += 1;
    } catch (error) {
      options.outages?.failed(error);
    }
  }

  function refresh(): Promise<void> {
    if (fetching) return fetching;
    const pauseMs = held ? cooldownMs() : Math.min(cooldownMs(), FIRST_COOLDOWN_MS);
    if (now() - triedAtMs < pauseMs) return Promise.resolve();
    triedAtMs = now();
    fetching = fetchAndHold().finally(() => {
      fetching = undefined;
    });
    return fetching;
  }

  async function load(): Promise<HeldKeys> {
    if (!held) await refresh();
    if (!held) throw new KeysUnavailable('The keys of the issuer could not be fetched.');
    if (now() - fetchedAtMs > maxAgeMs) void refresh(); // fetchAndHold never rejects
    return held;
  }

  return {
    generation: () => generation,
    load: async () => void (await load()),
    findKey: async (header, token) => {
      const before = await load();
      try {
        return await before.find(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        await refresh();
        if (held === before) throw error;
        return (held ?? before).find(header, token);
      }
    },
  };
}

/** Keys that can't be read, or none at all, are not loaded. */
function parseKeys(keys: JSONWebKeySet): HeldKeys {
  const find = createLocalJWKSet(keys);
  if (keys.keys.length === 0) throw new TypeError('The key set is empty.');
  return { text: JSON.stringify(keys), find };
}

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
