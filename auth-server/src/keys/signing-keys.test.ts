import { createPool, queryChecked, type Pool } from '@trellis/postgres';
import { createTestDatabase, type TestDatabase } from '@trellis/testkit';
import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveKeys } from '../secrets/secrets.ts';
import { migrateAuthServer } from '../app/start.ts';
import { createSigningKeyStore } from './signing-key-store.ts';
import { createKeyEncryption } from './key-encryption.ts';
import { createKeyring } from './keyring.ts';
import {
  ensureSigningKeys,
  removeExpiredKeys,
  rotateSigningKeys,
  type SigningKeyDependencies,
} from './signing-keys.ts';
import { verifyAccessToken } from '../tokens/verify-own-token.ts';

let database: TestDatabase;
let pool: Pool;
let now = Date.UTC(2030, 0, 1);
let dependencies: SigningKeyDependencies;
const HOUR_MS = 3_600_000;

beforeAll(async () => {
  database = await createTestDatabase();
  await migrateAuthServer(database.connectionString);
  pool = createPool({ connectionString: database.connectionString, schema: 'auth' });
  dependencies = {
    store: createSigningKeyStore(pool),
    encryption: createKeyEncryption(deriveKeys(['s'.repeat(32)], 'signing-keys')),
    schedule: { rotationIntervalS: 86_400, publicationLeadS: 3_600, retentionS: 1_000 },
    clock: () => now,
  };
  await ensureSigningKeys(dependencies);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

describe('signing keys', () => {
  it('begin with an active and a next key of each algorithm, made once by instances that start together', async () => {
    await Promise.all([ensureSigningKeys(dependencies), ensureSigningKeys(dependencies)]);
    const keys = await dependencies.store.list();
    expect(keys.map(({ algorithm, state }) => `${algorithm} ${state}`).toSorted()).toEqual([
      'ES256 active',
      'ES256 next',
      'RS256 active',
      'RS256 next',
    ]);
  });

  it('are encrypted at rest, and useless under another secret', async () => {
    const rows = await queryChecked(
      pool,
      { record: 'text' },
      'SELECT row_to_json(signing_key)::text AS record FROM signing_key',
    );
    for (const { record } of rows) expect(record).not.toMatch(/"(d|p|q)"/);
    const other = createKeyEncryption(deriveKeys(['o'.repeat(32)], 'signing-keys'));
    await expect(createKeyring(dependencies.store, other)).rejects.toThrow('KEY_ENCRYPTION_SECRET');
  });

  it('A-027 are published before they sign, and stay until the last token has expired', async () => {
    const keyring = await createKeyring(dependencies.store, dependencies.encryption);
    const first = keyring.active('ES256').kid;
    const published = keyring.jwks.keys.map(({ kid }) => kid);
    expect(await rotateSigningKeys(dependencies, false)).toEqual({ activated: [], waitS: 3_600 });
    now += HOUR_MS;
    const { activated } = await rotateSigningKeys(dependencies, false);
    await keyring.reload();
    expect(activated).toHaveLength(2);
    expect(published).toEqual(expect.arrayContaining([...activated]));
    expect(keyring.active('ES256').kid).not.toBe(first);
    expect(keyring.publicKey(first)).toBeDefined();
    now += 1_001_000;
    await removeExpiredKeys(dependencies);
    await keyring.reload();
    expect(keyring.publicKey(first)).toBeUndefined();
    expect(keyring.jwks.keys).toHaveLength(4);
  });

  it('A-027 rotate by schedule, and not before', async () => {
    expect((await rotateSigningKeys(dependencies, true)).activated).toEqual([]);
    now += 24 * HOUR_MS;
    const rotations = await Promise.all([1, 2, 3].map(() => rotateSigningKeys(dependencies, true)));
    expect(rotations.filter(({ activated }) => activated.length > 0)).toHaveLength(1);
  });

  it('A-027 A-028 keep what a retired key has signed valid, and name the key', async () => {
    const keyring = await createKeyring(dependencies.store, dependencies.encryption);
    const key = keyring.active('ES256');
    const iat = Math.floor(now / 1000);
    const claims = {
      iss: 'i',
      sub: 's',
      aud: 'a',
      client_id: 'c',
      gid: 'g',
      jti: 'j',
      scope: '',
      iat,
      exp: iat + 9_000,
    };
    const token = key.sign(claims, 'at+jwt');
    now += HOUR_MS;
    await rotateSigningKeys(dependencies, false);
    await keyring.reload();
    expect(keyring.active('ES256').kid).not.toBe(decodeProtectedHeader(token).kid);
    const context = { keyring, issuer: 'i', audiences: ['a'], clock: () => now };
    expect(await verifyAccessToken(token, context)).toMatchObject({ subject: 's', grantId: 'g' });
    expect(await verifyAccessToken(token, { ...context, clock: () => now + 9_000_000 })).toBeUndefined();
    expect(await verifyAccessToken(token, { ...context, audiences: ['b'] })).toBeUndefined();
    expect(await verifyAccessToken(token, { ...context, issuer: 'i/' })).toBeUndefined();
  });
});
