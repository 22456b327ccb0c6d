import { mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompactSign, generateKeyPair, importJWK } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendRecord } from './append-record.ts';
import { encodeRelease, readRelease } from './published-release.ts';
import { createRecordSigner, generateRecordKey, type RecordSigner } from './record-signer.ts';
import { encodeRecord } from './registry-record.ts';
import { FolderStore } from './stores/folder-store.ts';
import { createKey, log, publishAll, releaseOf } from './testing/sample-log.ts';
import { TrustedKeys } from './public-key.ts';
import { verifyLog, type VerifiedHead } from './verify-log.ts';
import { writeTextBlob } from './text-blobs.ts';

const { signal } = new AbortController(); // never aborted: the limit of each test is its deadline
let folder: string;
let count = 0;
let key: Awaited<ReturnType<typeof createKey>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'registry-'));
  key = await createKey();
});

afterAll(() => rm(folder, { recursive: true }));

async function openLog(...names: readonly string[]) {
  const path = join(folder, String((count += 1)));
  const store = new FolderStore(path);
  await store.initialize(signal);
  const head = names.length === 0 ? undefined : await publishAll(store, names, { ...key, signal });
  const recordPath = (sequence: number): string =>
    join(path, 'graphs/content/environments/production/log', `0000000${sequence}.jws`);
  return { store, path, head: head as VerifiedHead, recordPath };
}

async function signedBy(signer: RecordSigner, head: VerifiedHead, more: object): Promise<string> {
  const { record, hash } = head;
  const next = { ...record, sequence: record.sequence + 1, previous: hash, keys: undefined, ...more };
  return signer.sign(next);
}

describe('a log', () => {
  it('is undefined while it is empty', async () => {
    const { store } = await openLog();
    expect(await verifyLog(store, log, key.trust, { signal })).toBeUndefined();
  });

  it('is verified from where it was verified before', async () => {
    const { store, head } = await openLog('users', 'posts');
    const seen: number[] = [];
    const onRecord = (verified: { readonly record: { readonly sequence: number } }) =>
      seen.push(verified.record.sequence);
    await verifyLog(store, log, key.trust, { signal, from: head, onRecord });
    await publishAll(store, ['comments'], { ...key, signal });
    const later = await verifyLog(store, log, key.trust, { signal, from: head, onRecord });
    expect([seen, later?.record.sequence]).toEqual([[3], 3]);
  });

  it.each<[title: string, code: string, jws: (head: VerifiedHead) => Promise<string>]>([
    ['no JWS', 'UNSIGNED', async () => 'text'],
    ['half of one', 'UNSIGNED', async (head) => head.jws.slice(0, 100)],
    ['empty', 'UNSIGNED', async () => ''],
    ['of another algorithm', 'UNSIGNED', signedByRsa],
    ['without a type', 'UNSIGNED', signedWithoutType],
    ['by a foreign key', 'UNTRUSTED_KEY', async (head) => signedBy((await createKey()).signer, head, {})],
    ['altered', 'BAD_SIGNATURE', async (head) => altered(await signedBy(key.signer, head, {}))],
    ['of another environment', 'OTHER_LOG', (head) => signedBy(key.signer, head, { environment: 'staging' })],
    ['of another graph', 'OTHER_LOG', (head) => signedBy(key.signer, head, { graph: 'shop' })],
    ['older', 'OTHER_LOG', async (head) => head.jws],
    ['of a later place', 'OTHER_LOG', (head) => signedBy(key.signer, head, { sequence: 9 })],
    ['of another chain', 'BROKEN_CHAIN', (head) => signedBy(key.signer, head, { previous: 'a'.repeat(64) })],
    [
      'that is none',
      'INVALID_RECORD',
      (head) => signedBy(key.signer, head, { variants: [{ name: '__proto__' }] }),
    ],
    ['in a newer format', 'NEWER_FORMAT', newerFormat],
  ])('is rejected with a record %s', async (_title, code, jwsOf) => {
    const { store, head } = await openLog('users');
    await store.createRecord(log, 2, await jwsOf(head), signal);
    await expect(verifyLog(store, log, key.trust, { signal })).rejects.toMatchObject({ code });
    await expect(verifyLog(store, log, key.trust, { signal, from: head })).rejects.toMatchObject({ code });
    const next = await releaseOf(store, 'posts', signal);
    const publishing = appendRecord({ store, log, ...key, signal }, async () => next);
    await expect(publishing).rejects.toMatchObject({ code });
  });

  it('is rejected with a gap', async () => {
    const { store, recordPath } = await openLog('users', 'posts', 'comments');
    await unlink(recordPath(2));
    await expect(verifyLog(store, log, key.trust, { signal })).rejects.toMatchObject({
      code: 'BROKEN_CHAIN',
    });
  });

  it('is rejected where it ends before what was seen, or has another record there', async () => {
    const { store, head, recordPath } = await openLog('users', 'posts');
    const verified = verifyLog(store, log, key.trust, { signal });
    await writeFile(recordPath(2), await signedBy(key.signer, (await verified) ?? head, { sequence: 2 }));
    const verifying = () => verifyLog(store, log, key.trust, { signal, from: head });
    await expect(verifying()).rejects.toMatchObject({ code: 'REWRITTEN' });
    await unlink(recordPath(2));
    await expect(verifying()).rejects.toMatchObject({ code: 'REWRITTEN' });
  });

  it('goes by sequence, not by clocks', async () => {
    const { store } = await openLog();
    for (const [name, at] of [
      ['users', '2030-01-01'],
      ['posts', '2020-01-01'],
    ] as const) {
      const next = await releaseOf(store, name, signal);
      await appendRecord({ store, log, ...key, signal, now: () => new Date(at) }, async () => next);
    }
    const head = await verifyLog(store, log, key.trust, { signal });
    expect(head?.record).toMatchObject({ sequence: 2, at: '2020-01-01T00:00:00.000Z' });
  });

  it('goes on under the keys that a record names, and under those alone', async () => {
    const { store } = await openLog('users');
    const next = await createKey();
    const keys = await releaseOf(store, 'users', signal, { action: 'keys', keys: [next.signer.publicKey] });
    await appendRecord({ store, log, ...key, signal }, async () => keys);
    const old = await releaseOf(store, 'posts', signal);
    await expect(appendRecord({ store, log, ...key, signal }, async () => old)).rejects.toMatchObject({
      code: 'UNTRUSTED_KEY',
    });
    await appendRecord({ store, log, trust: key.trust, signer: next.signer, signal }, async () => old);
    const head = await verifyLog(store, log, key.trust, { signal });
    expect([head?.record.sequence, head?.keyId]).toEqual([3, next.signer.keyId]);
  });

  it('rejects publishers whose every attempt loses', async () => {
    const { store } = await openLog('users');
    const next = await releaseOf(store, 'posts', signal);
    const options = { store, log, ...key, signal, retries: 2, jitterMs: () => 0 };
    const appending = appendRecord(options, async () => {
      await publishAll(store, ['comments'], { ...key, signal });
      return next;
    });
    await expect(appending).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});

describe('a release', () => {
  it.each<[title: string, code: string, damage: (path: string, digest: string) => Promise<void>]>([
    ['missing', 'BLOB_MISSING', (path, digest) => unlink(join(path, 'blobs/sha256', digest))],
    ['altered', 'BLOB_ALTERED', (path, digest) => writeFile(join(path, 'blobs/sha256', digest), '{}')],
  ])('is rejected where its text is %s', async (_title, code, damage) => {
    const { store, path, head } = await openLog('users');
    await damage(path, head.record.release.digest);
    await expect(readRelease(store, head.record.release, signal)).rejects.toMatchObject({ code });
  });

  it('is rejected in a newer format, with the version that it needs', async () => {
    const { store } = await openLog();
    const reference = await writeTextBlob(
      store,
      '{"format":"trellis-registry-release/7","needs":"9.1.0"}',
      signal,
    );
    await expect(readRelease(store, reference, signal)).rejects.toThrow(
      /trellis-registry-release\/7.* needs Trellis 9\.1\.0/,
    );
  });

  it('is the same text whatever the order of its subgraphs, and is read by those who do not know all of its members', async () => {
    const { store, head } = await openLog('users');
    const release = await readRelease(store, head.record.release, signal);
    const [users] = release.subgraphs;
    if (!users) throw new Error('no subgraph');
    const both = [users, { ...users, name: 'posts' }];
    expect(encodeRelease({ ...release, subgraphs: both })).toBe(
      encodeRelease({ ...release, subgraphs: both.toReversed() }),
    );
    const later = JSON.stringify({ ...(JSON.parse(encodeRelease(release)) as object), added: true });
    expect(await readRelease(store, await writeTextBlob(store, later, signal), signal)).toEqual(release);
  });
});

describe('keys', () => {
  it.each(['{}', 'text', '{"keys":[]}', '{"kty":"RSA"}'])('are not read from %s', async (json) => {
    await expect(TrustedKeys.parse(json)).rejects.toMatchObject({ code: 'INVALID_KEY' });
    await expect(createRecordSigner(json)).rejects.toMatchObject({ code: 'INVALID_KEY' });
  });

  it('are read from a set and from one key, without their private part', async () => {
    const jwk = await generateRecordKey();
    const [set, one] = [
      await TrustedKeys.parse(JSON.stringify({ keys: [jwk] })),
      await TrustedKeys.parse(JSON.stringify(jwk)),
    ];
    expect(set.keyIds).toEqual(one.keyIds);
    expect(JSON.stringify(set.keys)).not.toContain('"d"');
  });
});

function altered(jws: string): string {
  const [header = '', payload = '', signature = ''] = jws.split('.');
  const record = Buffer.from(payload, 'base64url').toString('utf8').replace('"ada"', '"eve"');
  return `${header}.${Buffer.from(record).toString('base64url')}.${signature}`;
}

async function signedByRsa(head: VerifiedHead): Promise<string> {
  const { privateKey } = await generateKeyPair('RS256');
  const header = { alg: 'RS256', kid: head.keyId, typ: 'trellis-record+jws' };
  return new CompactSign(Buffer.from('{}')).setProtectedHeader(header).sign(privateKey);
}

async function signedWithoutType(head: VerifiedHead): Promise<string> {
  const jwk = await generateRecordKey();
  const header = { alg: 'Ed25519', kid: head.keyId };
  return new CompactSign(Buffer.from('{}'))
    .setProtectedHeader(header)
    .sign(await importJWK({ ...jwk }, 'Ed25519'));
}

async function newerFormat(head: VerifiedHead): Promise<string> {
  const payload = encodeRecord(head.record).replace('trellis-registry-record/1', 'trellis-registry-record/2');
  const header = { alg: 'Ed25519', kid: key.signer.keyId, typ: 'trellis-record+jws' };
  return new CompactSign(Buffer.from(payload))
    .setProtectedHeader(header)
    .sign(await importJWK({ ...key.jwk }, 'Ed25519'));
}
