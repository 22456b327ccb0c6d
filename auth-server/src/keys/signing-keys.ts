import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import type {
  NewSigningKey,
  SigningAlgorithm,
  SigningKeyChange,
  SigningKeyStore,
  StoredSigningKey,
} from './signing-key-store.ts';
import type { KeyEncryption } from './key-encryption.ts';

/** Every algorithm that has a key. */
export const signingAlgorithms: readonly SigningAlgorithm[] = Object.freeze(['ES256', 'RS256']);

/** When keys are replaced, seconds. */
export interface KeySchedule {
  /** Age of an active key at which it is replaced. */
  readonly rotationIntervalS: number;
  /** How long a key is published before it signs. */
  readonly publicationLeadS: number;
  /** How long a retired key stays published: the longest lifetime of a token, and the time in which instances reload. */
  readonly retentionS: number;
}

/** What happened to the keys. */
export interface KeyRotation {
  /** Ids of the keys that sign from now on; empty when nothing was rotated. */
  readonly activated: readonly string[];
  /** Seconds until the next keys have been published long enough; 0 when they have. */
  readonly waitS: number;
}

/** What the functions on keys work with. */
export interface SigningKeyDependencies {
  readonly store: SigningKeyStore;
  readonly encryption: KeyEncryption;
  readonly schedule: KeySchedule;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/**
 * Makes an active and a next key for each algorithm that lacks one, and encrypts those there are under the newest secret.
 *
 * @throws Error when a key is encrypted under none of the secrets
 */
export async function ensureSigningKeys({ store, encryption, clock }: SigningKeyDependencies): Promise<void> {
  await store.change(async (change) => {
    const keys = await change.list();
    for (const { kid, privateJwe } of keys) {
      if (await encryption.isCurrent(privateJwe)) continue;
      await change.reencrypt(kid, await encryption.encrypt(await encryption.decrypt(privateJwe)));
    }
    for (const algorithm of signingAlgorithms) {
      for (const state of ['active', 'next'] as const) {
        if (findKey(keys, algorithm, state)) continue;
        await change.add(await generateKey(algorithm, encryption), state, clock());
      }
    }
  });
}

/**
 * Replaces the active keys by the next ones and publishes new next ones: all of them, or none when one of the next keys
 * has not been published for the lead time yet. A rotation that comes too early is remembered, and is due at that time.
 *
 * @param onlyDue leaves keys alone that have not reached the age of rotation and whose rotation no one has asked for
 */
export async function rotateSigningKeys(
  dependencies: SigningKeyDependencies,
  onlyDue: boolean,
): Promise<KeyRotation> {
  const { store, schedule, clock } = dependencies;
  return store.change(async (change) => {
    const now = clock();
    const successions = successionsOf(await change.list()).filter(
      ({ active }) => !onlyDue || isDue(active, schedule, now),
    );
    const publishedAt = Math.max(0, ...successions.map(({ next }) => next.createdAt));
    const waitMs = publishedAt + schedule.publicationLeadS * 1000 - now;
    if (waitMs > 0) {
      for (const { active } of onlyDue ? [] : successions) await change.requestRotation(active.kid, now);
      return { activated: [], waitS: Math.ceil(waitMs / 1000) };
    }
    for (const succession of successions) await succeed(succession, change, dependencies);
    return { activated: successions.map(({ next }) => next.kid), waitS: 0 };
  });
}

function isDue(active: StoredSigningKey, { rotationIntervalS }: KeySchedule, now: number): boolean {
  return (
    active.rotationRequestedAt !== undefined || now - (active.activatedAt ?? 0) >= rotationIntervalS * 1000
  );
}

/**
 * Replaces all keys that have ever signed, at once and for good: no token that they signed is honoured any more. For keys
 * that someone else may have.
 *
 * @returns the ids of the keys that sign from now on
 */
export async function replaceSigningKeys(dependencies: SigningKeyDependencies): Promise<readonly string[]> {
  const { store, clock } = dependencies;
  return store.change(async (change) => {
    const keys = await change.list();
    const successions = successionsOf(keys);
    for (const { kid } of keys.filter(({ state }) => state !== 'next')) await change.remove(kid);
    for (const { next } of successions) {
      await change.activate(next.kid, clock());
      await change.add(await generateKey(next.algorithm, dependencies.encryption), 'next', clock());
    }
    return successions.map(({ next }) => next.kid);
  });
}

/** A key that signs, and the one that takes its place. */
interface Succession {
  readonly active: StoredSigningKey;
  readonly next: StoredSigningKey;
}

function successionsOf(keys: readonly StoredSigningKey[]): readonly Succession[] {
  return signingAlgorithms.flatMap((algorithm) => {
    const active = findKey(keys, algorithm, 'active');
    const next = findKey(keys, algorithm, 'next');
    return active && next ? [{ active, next }] : [];
  });
}

async function succeed(
  { active, next }: Succession,
  change: SigningKeyChange,
  { encryption, clock }: SigningKeyDependencies,
): Promise<void> {
  const now = clock();
  await change.retire(active.kid, now);
  await change.activate(next.kid, now);
  await change.add(await generateKey(active.algorithm, encryption), 'next', now);
}

/** Deletes retired keys whose last token has expired. */
export async function removeExpiredKeys({ store, schedule, clock }: SigningKeyDependencies): Promise<void> {
  const isExpired = (key: StoredSigningKey): boolean =>
    key.retiredAt !== undefined && clock() - key.retiredAt > schedule.retentionS * 1000;
  if (!(await store.list()).some(isExpired)) return;
  await store.change(async (change) => {
    for (const key of (await change.list()).filter(isExpired)) await change.remove(key.kid);
  });
}

function findKey(
  keys: readonly StoredSigningKey[],
  algorithm: SigningAlgorithm,
  state: StoredSigningKey['state'],
): StoredSigningKey | undefined {
  return keys.find((key) => key.algorithm === algorithm && key.state === state);
}

async function generateKey(algorithm: SigningAlgorithm, encryption: KeyEncryption): Promise<NewSigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, {
    extractable: true,
    modulusLength: 2048,
  });
  const publicJwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  return {
    kid,
    algorithm,
    publicJwk: { ...publicJwk, kid, alg: algorithm, use: 'sig' },
    privateJwe: await encryption.encrypt(await exportJWK(privateKey)),
  };
}
