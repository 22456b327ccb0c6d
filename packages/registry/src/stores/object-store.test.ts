import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasObjectStore, startTestObjectStore, type TestObjectStore } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRegistry } from '../open-registry.ts';
import type { RegistryStore } from '../registry-store.ts';
import { createKey, log, publishAll } from '../testing/sample-log.ts';
import { describeStore } from '../testing/store-contract.ts';
import { readTextBlob, writeTextBlob } from '../text-blobs.ts';
import { verifyLog } from '../verify-log.ts';
import { awsCredentials } from './aws-credentials.ts';
import { readObjectListing } from './object-listing.ts';
import { ObjectRequests } from './object-requests.ts';
import { ObjectStore } from './object-store.ts';
import { readAtMost } from './read-at-most.ts';

const { signal } = new AbortController(); // never aborted: the limit of each test is its deadline
const MARK = '{"format":"trellis-registry/1"}';
const FUTURE = new Date(Date.now() + 86_400_000);

describe.skipIf(!hasObjectStore)('An object store (Ceph: ceph-mon, ceph-osd and radosgw of Debian)', () => {
  let ceph: TestObjectStore;
  let environment: Readonly<Record<string, string>>;
  let buckets = 0;

  beforeAll(async () => {
    ceph = await startTestObjectStore();
    ({ environment } = ceph);
  });

  afterAll(() => ceph.stop());

  const createBucket = (): Promise<string> => ceph.createBucket(`bucket-${(buckets += 1)}`);

  async function openBucket(prefix = '/registry'): Promise<RegistryStore> {
    const store = openRegistry(`s3+${await createBucket()}${prefix}`, { environment });
    expect(await store.initialize?.(signal)).toBe(true);
    return store;
  }

  describeStore('a bucket', () => openBucket());

  it('is made once, and is none before', async () => {
    const address = `s3+${await createBucket()}`;
    const open = () => openRegistry(address, { environment });
    await expect(open().readHead(log, signal)).rejects.toMatchObject({ code: 'NO_REGISTRY' });
    expect([await open().initialize?.(signal), await open().initialize?.(signal)]).toEqual([true, false]);
    expect(await open().readHead(log, signal)).toBe(0);
  });

  it('creates one record for writers of several processes, round after round', async () => {
    const address = `s3+${await createBucket()}`;
    await openRegistry(address, { environment }).initialize?.(signal);
    for (let sequence = 1; sequence <= 5; sequence += 1) {
      const created = Array.from({ length: 10 }, (_, index) =>
        openRegistry(address, { environment }).createRecord(log, sequence, `jws ${index}`, signal),
      );
      const winners = (await Promise.all(created)).flatMap((won, index) => (won ? [`jws ${index}`] : []));
      expect(winners).toEqual([
        await openRegistry(address, { environment }).readRecord(log, sequence, signal),
      ]);
    }
  });

  it('notices a log that was made shorter, and a head that is another', async () => {
    const [bucket, key] = [await createBucket(), await createKey()];
    const store = openRegistry(`s3+${bucket}`, { environment });
    await store.initialize?.(signal);
    const from = await publishAll(store, ['a', 'b', 'c'], { ...key, signal });
    const requests = new ObjectRequests(bucket, bucket, awsCredentials(environment));
    const path = 'graphs/content/environments/production/log';
    await requests.remove(`${path}/00000003.jws`, signal);
    const again = () => verifyLog(store, log, key.trust, { from, signal });
    await expect(again()).rejects.toMatchObject({ code: 'REWRITTEN' });
    await requests.remove(`${path}/00000002.jws`, signal);
    await requests.write(`${path}/00000003.jws`, Buffer.from(from.jws), signal);
    await expect(verifyLog(store, log, key.trust, { signal })).rejects.toMatchObject({
      code: 'BROKEN_CHAIN',
    });
  });

  it('has a text that gc has copied aside, until its copy is old too', async () => {
    const store = await openBucket();
    const reference = await writeTextBlob(store, 'text', signal);
    // An age between that of the text and that of its copy: as a day is, to a store that is a day old.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const between = new Date();
    expect(await store.deleteBlob(reference.digest, between, signal)).toBe(true);
    expect(await readTextBlob(store, reference, signal)).toBe('text');
    expect(await store.listBlobs(signal)).toMatchObject([reference]);
    expect(await store.deleteBlob(reference.digest, between, signal)).toBe(false);
    await writeTextBlob(store, 'text', signal);
    expect(await store.deleteBlob(reference.digest, FUTURE, signal)).toBe(true);
    expect(await store.readBlob(reference.digest, 4, signal)).toBeUndefined();
  });

  it('writes a damaged text again, and finds out one that is altered or too long', async () => {
    const bucket = await createBucket();
    const store = openRegistry(`s3+${bucket}`, { environment });
    await store.initialize?.(signal);
    const reference = await writeTextBlob(store, 'text', signal);
    const requests = new ObjectRequests(bucket, bucket, awsCredentials(environment));
    for (const wrong of ['tex_', 'longer than the text']) {
      await requests.write(`blobs/sha256/${reference.digest}`, Buffer.from(wrong), signal);
      await expect(readTextBlob(store, reference, signal)).rejects.toMatchObject({ code: 'BLOB_ALTERED' });
    }
    await writeTextBlob(store, 'text', signal);
    expect(await readTextBlob(store, reference, signal)).toBe('text');
  });

  it('says what is missing: the bucket, the right', async () => {
    const nowhere = openRegistry(`s3+${ceph.url}/no-such-bucket`, { environment });
    await expect(nowhere.readHead(log, signal)).rejects.toMatchObject({ code: 'NO_REGISTRY' });
    await expect(nowhere.initialize?.(signal)).rejects.toThrow('there is no such bucket');
    const bucket = `s3+${await createBucket()}`;
    const wrong = { ...environment, AWS_SECRET_ACCESS_KEY: 'a wrong secret' };
    const failure = await openRegistry(bucket, { environment: wrong })
      .readHead(log, signal)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'NO_RIGHT',
      message: expect.stringContaining('SignatureDoesNotMatch') as string,
    });
    expect(String(failure)).not.toMatch(/wrong secret/);
  });

  it('reads credentials from the shared file, by profile', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'credentials-'));
    const file = join(folder, 'credentials');
    const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = ceph.environment;
    writeFileSync(
      file,
      `[default]\naws_access_key_id = x\n\n[releases]\naws_access_key_id=${id}\naws_secret_access_key = ${secret}\n`,
    );
    try {
      const address = `s3+${await createBucket()}`;
      const open = (profile?: string) =>
        openRegistry(address, {
          environment: { AWS_SHARED_CREDENTIALS_FILE: file, ...(profile && { AWS_PROFILE: profile }) },
        });
      expect(await open('releases').initialize?.(signal)).toBe(true);
      await expect(open().readHead(log, signal)).rejects.toThrow(/profile default in .*credentials\./);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** Servers that are no conforming store: what a real one never says has to be said by one of our own. */
describe('Instead of a conforming object store', () => {
  let respond: RequestListener;
  const server = createServer((request, response) => respond(request, response));
  const environment = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'a secret of ours' };

  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => server.close());

  function open(): ObjectStore {
    const { port } = server.address() as AddressInfo; // it listens on TCP
    return new ObjectStore(`http://127.0.0.1:${port}/bucket`, { environment });
  }

  it('a file of credentials that can not be read is named with the reason, and not taken for one that is absent', async () => {
    const store = new ObjectStore('http://127.0.0.1:1/bucket', {
      environment: { AWS_SHARED_CREDENTIALS_FILE: tmpdir() },
    });
    await expect(store.readHead(log, signal)).rejects.toMatchObject({
      code: 'NO_RIGHT',
      message: expect.stringContaining('EISDIR') as string,
    });
  });

  it('one that ignores If-None-Match gets no record, and becomes no registry', async () => {
    const objects = new Map<string, Buffer>();
    respond = (request, response) =>
      void keepUnconditionally(objects, request).then((found) =>
        response.writeHead(found ? 200 : 404).end(found),
      );
    await expect(open().initialize(signal)).rejects.toMatchObject({ code: 'STORE_UNSUITABLE' });
    objects.set('/bucket/registry.json', Buffer.from(MARK));
    await expect(open().createRecord(log, 1, 'one', signal)).rejects.toMatchObject({
      code: 'STORE_UNSUITABLE',
      message: expect.stringContaining('ignores If-None-Match') as string,
    });
    expect([...objects.keys()]).toEqual(['/bucket/registry.json']);
  });

  it.each([
    [507, '', 'STORE_FULL'],
    [403, 'QuotaExceeded', 'STORE_FULL'],
    [507, 'XMinioStorageFull', 'STORE_FULL'],
    [405, 'MethodNotAllowed', 'STORE_READ_ONLY'],
    [501, 'NotImplemented', 'STORE_UNSUITABLE'],
    [403, 'AccessDenied', 'NO_RIGHT'],
    [403, 'RequestTimeTooSkewed', 'NO_RIGHT'],
    [400, 'ExpiredToken', 'NO_RIGHT'],
    [301, 'PermanentRedirect', 'NO_REGISTRY'],
    [503, 'SlowDown', 'STORE_UNAVAILABLE'],
    [404, '', 'STORE_UNAVAILABLE'],
    [404, 'NoSuchKey', 'STORE_UNAVAILABLE'],
    [404, 'NoSuchBucket', 'NO_REGISTRY'],
  ])('%i %s is %s, and changes nothing', async (status, code, expected) => {
    const secret = 'repeated: a secret of ours';
    respond = ({ method }, response) => {
      if (method === 'GET') response.end(MARK);
      else
        response
          .writeHead(status)
          .end(`<Error><Code>${code}</Code><StringToSign>${secret}</StringToSign></Error>`);
    };
    const failure = await open()
      .writeBlob({ digest: '0'.repeat(64), bytes: 1 }, Buffer.from('x'), signal)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: expected });
    expect(String(failure)).not.toContain(secret);
  });

  it('one that says 404 to what is written has created no record, and loses no text to gc', async () => {
    const sent = new Set<string>();
    respond = ({ method = '', url = '' }, response) => {
      sent.add(method);
      response.setHeader('last-modified', new Date(0).toUTCString());
      if (method !== 'PUT')
        response.writeHead(url.endsWith('.jws') ? 404 : 200).end(method === 'GET' ? MARK : '');
      else response.writeHead(url.endsWith('/registry.json') ? 412 : 404).end();
    };
    const outcomes = await Promise.allSettled([
      open().createRecord(log, 1, 'one', signal),
      open().deleteBlob('0'.repeat(64), FUTURE, signal),
    ]);
    const unavailable = { status: 'rejected', reason: { code: 'STORE_UNAVAILABLE' } };
    expect(outcomes).toMatchObject([unavailable, unavailable]);
    expect([...sent]).not.toContain('DELETE');
  });

  it.each([
    ['no time of a text', {}, 'a text'],
    ['a copy that it does not have', { 'last-modified': new Date(0).toUTCString() }, undefined],
  ])('one with %s loses no text to gc', async (_title, headers, copy) => {
    const sent = new Set<string>();
    respond = ({ method = '', url = '' }, response) => {
      sent.add(method);
      const isAbsent = url.includes('/aside/') && method !== 'PUT' && copy === undefined;
      response.writeHead(isAbsent ? 404 : 200, headers).end(method === 'GET' ? MARK : '');
    };
    const deleted = await open()
      .deleteBlob('0'.repeat(64), FUTURE, signal)
      .catch((error: unknown) => (error as { readonly code?: unknown }).code);
    expect([deleted, sent.has('DELETE')]).toEqual([copy === undefined ? false : 'STORE_UNAVAILABLE', false]);
  });

  it('one whose credentials change for months is signed for with few keys in memory', async () => {
    respond = (_request, response) => response.end(MARK);
    const { port } = server.address() as AddressInfo; // it listens on TCP
    const keys = new Map<string, ArrayBuffer>();
    let changes = 0;
    const credentials = async () => ({
      accessKeyId: 'id',
      secretAccessKey: `secret ${(changes += 1)}`,
      sessionToken: undefined,
      region: undefined,
    });
    const requests = new ObjectRequests(`http://127.0.0.1:${port}/bucket`, 'a bucket', credentials, keys);
    for (let count = 0; count < 50; count += 1) await requests.read('registry.json', 100, signal);
    expect([changes, keys.size]).toEqual([50, 8]);
    expect([...keys.keys()].at(-1)).toContain('secret 50,');
  });

  it('one that loses a response half way is asked again', async () => {
    let asked = 0;
    respond = ({ url = '' }, response) => {
      if (!url.endsWith('.jws') || (asked += 1) > 1) response.end(MARK);
      else response.writeHead(200, { 'content-length': '1000' }).write('half', () => response.destroy());
    };
    expect([await open().readRecord(log, 1, signal), asked]).toEqual([MARK, 2]);
  });

  it('one whose text takes too long is unavailable; what the caller ends is not', async () => {
    const failing = (error: unknown) =>
      new Response(new ReadableStream({ pull: (controller) => controller.error(error) }));
    const late = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    await expect(readAtMost(failing(late), 9, signal)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const ended = AbortSignal.abort(new Error('ended by the caller'));
    await expect(readAtMost(failing(late), 9, ended)).rejects.toThrow('ended by the caller');
  });

  const LISTED = '<Key>a</Key><LastModified>2026-11-23T10:00:00.000Z</LastModified><Size>1</Size>';

  const UNREADABLE: readonly (readonly [what: string, xml: string])[] = [
    ['cut off', `<ListBucketResult><IsTruncated>false</IsTruncated><Contents>${LISTED}</Contents>`],
    ['without a token', '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>'],
    ['of unknown length', `<ListBucketResult><Contents>${LISTED}</Contents></ListBucketResult>`],
    ...[
      `<Contents>${LISTED}`,
      `<Contents kind="object">${LISTED}</Contents>`,
      `<Contents>${LISTED.replace('<Key>a</Key>', '')}</Contents>`,
      `<Contents>${LISTED.replace('2026-11-23T', 'today ')}</Contents>`,
      `<Contents>${LISTED.replace('>1<', '>many<')}</Contents>`,
      '<CommonPrefixes></CommonPrefixes>',
    ].map(
      (part) =>
        [
          `with ${part.slice(0, 40)}`,
          `<ListBucketResult><IsTruncated>false</IsTruncated>${part}</ListBucketResult>`,
        ] as const,
    ),
  ];

  it.each(UNREADABLE)('a listing %s is none', (_title, xml) => {
    expect(() => readObjectListing(xml)).toThrow(expect.objectContaining({ code: 'STORE_UNAVAILABLE' }));
  });

  it('finds a log behind an empty page', async () => {
    const folder = (name: string) => `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`;
    respond = ({ url = '' }, response) => {
      const query = new URL(url, 'http://store').searchParams;
      const prefix = query.get('prefix') ?? '';
      const isFirst = prefix.endsWith('/log/') && !query.has('continuation-token');
      const page = isFirst
        ? '<NextContinuationToken>2</NextContinuationToken>'
        : prefix.endsWith('/log/')
          ? `<Contents>${LISTED}</Contents>`
          : folder(`${prefix}${prefix === 'graphs/' ? 'content' : 'production'}/`);
      const listing = `<ListBucketResult><IsTruncated>${isFirst}</IsTruncated>${page}</ListBucketResult>`;
      response.end(query.has('list-type') ? listing : MARK);
    };
    expect(await open().listLogs(signal)).toEqual([log]);
  });

  it('one whose response is lost has created the record, or another has', async () => {
    let stored: string | undefined;
    const losing =
      (other?: string): RequestListener =>
      (request, response) => {
        const isRecord = request.url?.endsWith('.jws') ?? false;
        if (request.method === 'GET')
          response.writeHead(isRecord && stored === undefined ? 404 : 200).end(isRecord ? stored : MARK);
        else if (!isRecord) response.writeHead(412).end();
        else
          void bodyOf(request).then((body) => {
            stored ??= other ?? body.toString();
            response.destroy();
          });
      };
    respond = losing();
    expect(await open().createRecord(log, 1, 'mine', signal)).toBe(true);
    stored = undefined;
    respond = losing('of another');
    expect(await open().createRecord(log, 1, 'mine', signal)).toBe(false);
  });

  it('one that can not decide is asked again', async () => {
    let asked = 0;
    respond = (request, response) => {
      const isRecord = request.url?.endsWith('.jws') ?? false;
      if (request.method === 'GET') response.writeHead(isRecord ? 404 : 200).end(MARK);
      else if (isRecord) response.writeHead((asked += 1) < 3 ? 409 : 200).end();
      else response.writeHead(412).end();
    };
    expect([await open().createRecord(log, 1, 'one', signal), asked]).toEqual([true, 3]);
  });

  it('a page is no listing, and a newer registry names the version that it needs', async () => {
    expect(() => readObjectListing('<html>')).toThrow('no object store');
    respond = ({ url = '' }, response) =>
      void response.end(url.includes('list-type') ? '<h1>Sign in</h1>' : MARK);
    await expect(open().readHead(log, signal)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    respond = (_request, response) => void response.end('{"format":"trellis-registry/2","needs":"3.0.0"}');
    await expect(open().readHead(log, signal)).rejects.toThrow('needs Trellis 3.0.0');
  });

  it('reads a long log page by page', async () => {
    const entry = (sequence: number) =>
      `<Contents><Key>graphs/content/environments/production/log/0000000${sequence}.jws</Key><LastModified>2026-11-23T10:00:00.000Z</LastModified><Size>1</Size></Contents>`;
    respond = ({ url = '' }, response) => {
      const isLast = url.includes(encodeURIComponent('a&b'));
      const page = isLast ? entry(2) : `${entry(1)}<NextContinuationToken>a&amp;b</NextContinuationToken>`;
      response.end(
        url.includes('list-type')
          ? `<ListBucketResult><IsTruncated>${!isLast}</IsTruncated>${page}</ListBucketResult>`
          : MARK,
      );
    };
    expect(await open().readHead(log, signal)).toBe(2);
  });

  it.each([
    's3+https://user:p@ss@host/bucket',
    's3+https://host',
    's3+https://host/Bucket',
    's3+https://host/bucket/../other',
    's3+https://host/bucket/a b',
    's3+https://host/bucket?x=1',
    's3+https://host/bucket/%2e%2e/other',
    's3+https://host/bucket/a\\..\\..\\other',
    's3+http://host/bucket',
    's3+ftp://host/bucket',
    's3://bucket',
  ])('%s is no address', (address) => {
    expect(() => openRegistry(address, { environment })).toThrow(
      expect.objectContaining({
        code: 'INVALID_NAME',
        message: expect.not.stringContaining('p@ss') as string,
      }),
    );
  });
});

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // without an encoding
  return Buffer.concat(chunks);
}

async function keepUnconditionally(
  objects: Map<string, Buffer>,
  request: IncomingMessage,
): Promise<Buffer | undefined> {
  const { method, url = '' } = request;
  if (method === 'PUT') objects.set(url, await bodyOf(request));
  const found = objects.get(url);
  if (method === 'DELETE') objects.delete(url);
  return found;
}
