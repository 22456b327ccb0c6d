import { execFile } from 'node:child_process';
import {
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey, log, publishAll } from '../testing/sample-log.ts';
import { describeStore } from '../testing/store-contract.ts';
import { realDisk, type FolderDisk } from './durable-files.ts';
import { FolderStore } from './folder-store.ts';
import { readTextBlob, writeTextBlob } from '../text-blobs.ts';

const { signal } = new AbortController(); // never aborted: the limit of each test is its deadline
const run = promisify(execFile);
let folder: string;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'registry-'));
});

afterAll(() => rm(folder, { recursive: true }));

async function openFolder(disk: FolderDisk = realDisk): Promise<{ store: FolderStore; path: string }> {
  const path = join(folder, String((count += 1)));
  await new FolderStore(path).initialize(signal);
  return { store: new FolderStore(path, { disk }), path };
}

function failing(code: string): () => Promise<never> {
  return () => Promise.reject(Object.assign(new Error(`${code}: no`), { code }));
}

describeStore('a folder', async () => (await openFolder()).store);

describe('a folder', () => {
  it('is made once', async () => {
    const store = new FolderStore(join(folder, 'new'));
    expect([await store.initialize(signal), await store.initialize(signal)]).toEqual([true, false]);
  });

  it('leaves no temporary files', async () => {
    const { store, path } = await openFolder();
    await publishAll(store, ['users', 'posts'], { ...(await createKey()), signal });
    expect(await readdir(join(path, 'tmp'))).toEqual([]);
  });

  it('deletes what killed programs left', async () => {
    const { store, path } = await openFolder();
    await writeFile(join(path, 'tmp', 'left.tmp'), 'half');
    expect(await store.deleteLeftovers(new Date(Date.now() - 60_000), signal)).toBe(0);
    expect(await store.deleteLeftovers(new Date(Date.now() + 60_000), signal)).toBe(1);
  });

  it('is not one without its mark: a mount that went is no empty log', async () => {
    const { store, path } = await openFolder();
    await store.createRecord(log, 1, 'one', signal);
    await rm(join(path, 'registry.json'));
    await expect(store.readHead(log, signal)).rejects.toMatchObject({ code: 'NO_REGISTRY' });
  });

  it('names the version that a newer folder needs', async () => {
    const { store, path } = await openFolder();
    await writeFile(join(path, 'registry.json'), '{"format":"trellis-registry/2","needs":"3.0.0"}');
    await expect(store.readHead(log, signal)).rejects.toThrow('needs Trellis 3.0.0');
  });

  it.each([
    ['ENOSPC', 'STORE_FULL'],
    ['EDQUOT', 'STORE_FULL'],
    ['EROFS', 'STORE_READ_ONLY'],
    ['EACCES', 'STORE_READ_ONLY'],
    ['EIO', 'STORE_UNAVAILABLE'],
  ])('changes nothing when writing fails with %s', async (code, expected) => {
    const { store, path } = await openFolder({ ...realDisk, write: failing(code) });
    await expect(store.createRecord(log, 1, 'one', signal)).rejects.toMatchObject({ code: expected });
    await expect(writeTextBlob(store, 'text', signal)).rejects.toMatchObject({ code: expected });
    expect(await new FolderStore(path).readHead(log, signal)).toBe(0);
  });

  it.each(['EPERM', 'ENOTSUP', 'ENOSYS', 'EISDIR'])(
    'rejects file systems without hard links (%s)',
    async (code) => {
      const { store } = await openFolder({ ...realDisk, link: failing(code) });
      await expect(store.createRecord(log, 1, 'one', signal)).rejects.toMatchObject({
        code: 'STORE_UNSUITABLE',
      });
    },
  );

  it.each(['EEXIST', 'EIO'])('reads back after %s: NFS may have linked all the same', async (code) => {
    const linked = async (from: string, to: string): Promise<void> => {
      await link(from, to);
      await failing(code)();
    };
    const { store } = await openFolder({ ...realDisk, link: linked });
    expect(await store.createRecord(log, 1, 'mine', signal)).toBe(true);
    expect(await store.createRecord(log, 1, 'another', signal)).toBe(false);
  });

  it('takes a text that another user has written, and counts it as written now', async () => {
    const { store, path } = await openFolder({ ...realDisk, setTime: failing('EPERM') });
    const { digest } = await writeTextBlob(store, 'text', signal);
    const file = join(path, 'blobs/sha256', digest);
    await utimes(file, new Date(0), new Date(0));
    await writeTextBlob(store, 'text', signal);
    expect((await stat(file)).mtimeMs).toBeGreaterThan(Date.now() - 60_000);
    expect(await readdir(join(path, 'tmp'))).toEqual([]);
  });

  it('syncs file and folder before it says that a record exists', async () => {
    const calls: string[] = [];
    const { store } = await openFolder({
      ...realDisk,
      write: async (path, content) => (calls.push('write and sync'), realDisk.write(path, content)),
      link: async (from, to) => (calls.push('link'), realDisk.link(from, to)),
      syncFolder: async (path) => (calls.push('sync folder'), realDisk.syncFolder(path)),
    });
    await store.createRecord(log, 1, 'one', signal);
    calls.length = 0;
    await store.createRecord(log, 2, 'two', signal);
    expect(calls).toEqual(['sync folder', 'write and sync', 'link', 'sync folder']);
  });

  it('still has a text that a killed gc has moved aside, and puts it back', async () => {
    const { store, path } = await openFolder();
    const reference = await writeTextBlob(store, 'text', signal);
    const place = join(path, 'blobs/sha256', reference.digest);
    await rename(place, join(path, 'tmp', `${reference.digest}.aside`));
    expect(await readTextBlob(store, reference, signal)).toBe('text');
    expect(await store.listBlobs(signal)).toMatchObject([reference]);
    expect([await readFile(place, 'utf8'), await readdir(join(path, 'tmp'))]).toEqual(['text', []]);
  });

  it('writes a damaged text again', async () => {
    const { store, path } = await openFolder();
    const { digest } = await writeTextBlob(store, 'text', signal);
    await writeFile(join(path, 'blobs/sha256', digest), 'te');
    await writeTextBlob(store, 'text', signal);
    expect(await readFile(join(path, 'blobs/sha256', digest), 'utf8')).toBe('text');
  });

  it.each([
    ['a folder', (place: string) => mkdir(place)],
    ['a pipe', (place: string) => run('mkfifo', [place])],
    ['a link to a device', (place: string) => symlink('/dev/null', place)],
  ])('rejects %s in the place of a file without opening it', async (_what, put) => {
    const { store, path } = await openFolder();
    const { digest } = await writeTextBlob(store, 'text', signal);
    await store.createRecord(log, 1, 'one', signal);
    const record = join('graphs', log.graph, 'environments', log.environment, 'log/00000001.jws');
    for (const [place, code, read] of [
      [record, 'UNSIGNED', () => store.readRecord(log, 1, signal)],
      [join('blobs/sha256', digest), 'BLOB_ALTERED', () => store.readBlob(digest, 4, signal)],
      ['registry.json', 'NO_REGISTRY', () => store.readHead(log, signal)],
    ] as const) {
      await rm(join(path, place));
      await put(join(path, place));
      await expect(read()).rejects.toMatchObject({
        code,
        message: `${join(path, place)} is no file: something else was put in its place.`,
      });
    }
  });
});
