import {
  generateKeyPair,
  exportJWK,
  SignJWT,
  jwtVerify,
  type CryptoKey,
  type JSONWebKeySet,
  type JWK,
} from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { createKeySet, KeysUnavailable, type KeySet } from './key-set.ts';

interface Pair {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

async function createPair(kid: string): Promise<Pair> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256' } };
}

const sign = ({ kid, privateKey }: Pair, named: string = kid): Promise<string> =>
  new SignJWT({}).setProtectedHeader({ alg: 'ES256', kid: named }).sign(privateKey);

let now = 0;
let fetches = 0;
let published: () => Promise<JSONWebKeySet>;
let errors: unknown[];

function openKeySet(): KeySet {
  return createKeySet({
    fetchKeys: () => {
      fetches += 1;
      return published();
    },
    cooldownMs: () => 5_000,
    maxAgeMs: 300_000,
    now: () => now,
    outages: { failed: (error) => errors.push(error), succeeded: () => undefined },
  });
}

async function verifies(keys: KeySet, token: string): Promise<boolean> {
  try {
    await jwtVerify(token, keys.findKey);
    return true;
  } catch (error) {
    if (error instanceof KeysUnavailable) throw error;
    return false;
  }
}

beforeEach(() => {
  now = 1_000_000;
  fetches = 0;
  errors = [];
});

describe('Keys of an issuer', () => {
  it('are fetched once, at first need, however many ask', async () => {
    const pair = await createPair('a');
    published = async () => ({ keys: [pair.jwk] });
    const keys = openKeySet();
    expect(fetches).toBe(0);
    const token = await sign(pair);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => verifies(keys, token)));
    expect(outcomes.every(Boolean)).toBe(true);
    expect(fetches).toBe(1);
  });

  it('are fetched again when a token names a key that is not among them', async () => {
    const [first, second] = [await createPair('a'), await createPair('b')];
    published = async () => ({ keys: [first.jwk] });
    const keys = openKeySet();
    await keys.load();
    expect(keys.generation()).toBe(1);
    published = async () => ({ keys: [first.jwk, second.jwk] });
    now += 5_000;
    expect(await verifies(keys, await sign(second))).toBe(true);
    expect(keys.generation()).toBe(2);
    expect(fetches).toBe(2);
  });

  it('S-090 are fetched at most once per cooldown, whatever 1,000 tokens name', async () => {
    const pair = await createPair('a');
    published = async () => ({ keys: [pair.jwk] });
    const keys = openKeySet();
    await keys.load();
    now += 5_000;
    const token = await sign(pair, 'unknown');
    for (let index = 0; index < 1_000; index += 1) {
      const named = token.replace(
        /^[^.]+/,
        Buffer.from(`{"alg":"ES256","kid":"k${index}"}`).toString('base64url'),
      );
      expect(await verifies(keys, named)).toBe(false);
    }
    expect(fetches).toBe(2);
    now += 5_000;
    expect(await verifies(keys, token)).toBe(false);
    expect(fetches).toBe(3);
  });

  it.each<[string, () => Promise<JSONWebKeySet>]>([
    ['is down', () => Promise.reject(new Error('connection refused'))],
    ['answers no key set', async () => ({ nonsense: true }) as unknown as JSONWebKeySet],
    ['answers an empty key set', async () => ({ keys: [] })],
  ])('F-15 stay in use while the issuer %s', async (_name, outage) => {
    const pair = await createPair('a');
    published = async () => ({ keys: [pair.jwk] });
    const keys = openKeySet();
    const token = await sign(pair);
    expect(await verifies(keys, token)).toBe(true);
    published = outage;
    for (let minute = 0; minute < 10; minute += 1) {
      now += 60_000;
      expect(await verifies(keys, token)).toBe(true);
      expect(await verifies(keys, await sign(pair, 'unknown'))).toBe(false);
    }
    expect(fetches).toBeLessThanOrEqual(1 + 10);
    expect(errors.length).toBe(fetches - 1);
    expect(keys.generation()).toBe(1);
  });

  it('F-15 serve at once while the issuer takes its time', async () => {
    const pair = await createPair('a');
    published = async () => ({ keys: [pair.jwk] });
    const keys = openKeySet();
    const token = await sign(pair);
    expect(await verifies(keys, token)).toBe(true);
    let arrive: (set: JSONWebKeySet) => void = () => undefined;
    published = () => new Promise((resolve) => (arrive = resolve));
    now += 300_001;
    const unknown = [verifies(keys, await sign(pair, 'b')), verifies(keys, await sign(pair, 'c'))];
    for (let index = 0; index < 100; index += 1) expect(await verifies(keys, token)).toBe(true);
    expect(fetches).toBe(2);
    arrive({ keys: [pair.jwk] });
    expect(await Promise.all(unknown)).toEqual([false, false]);
    expect(fetches).toBe(2);
  });

  it('are refreshed in the background when they are old', async () => {
    const [old, fresh] = [await createPair('a'), await createPair('b')];
    published = async () => ({ keys: [old.jwk] });
    const keys = openKeySet();
    await keys.load();
    published = async () => ({ keys: [fresh.jwk] });
    now += 300_001;
    expect(await verifies(keys, await sign(old))).toBe(true);
    await new Promise(setImmediate);
    expect(await verifies(keys, await sign(old))).toBe(false);
    expect(await verifies(keys, await sign(fresh))).toBe(true);
  });

  it('that were never to be had are distinguished from invalid tokens', async () => {
    published = () => Promise.reject(new Error('connection refused'));
    const keys = openKeySet();
    const pair = await createPair('a');
    const token = await sign(pair);
    await expect(verifies(keys, token)).rejects.toThrow(KeysUnavailable);
    await expect(verifies(keys, token)).rejects.toThrow(KeysUnavailable);
    expect(fetches).toBe(1);
    published = async () => ({ keys: [pair.jwk] });
    now += 5_000;
    expect(await verifies(keys, token)).toBe(true);
  });
});
