import { describe, expect, it } from 'vitest';
import { appendRecord } from '../append-record.ts';
import { digestOf, referenceOf } from '../blob.ts';
import { readRelease } from '../published-release.ts';
import type { RegistryStore } from '../registry-store.ts';
import { readTextBlob, writeTextBlob } from '../text-blobs.ts';
import { verifyLog } from '../verify-log.ts';
import { createKey, log, publishAll, releaseOf } from './sample-log.ts';

/** What every store promises. */
export function describeStore(name: string, open: () => Promise<RegistryStore>): void {
  const signal = AbortSignal.timeout(120_000);

  describe(`${name} as a store of a registry`, () => {
    it('returns texts as they were written, by digest', async () => {
      const store = await open();
      const reference = await writeTextBlob(store, 'type Query { ä: Int }', signal);
      await writeTextBlob(store, 'type Query { ä: Int }', signal);
      expect(await readTextBlob(store, reference, signal)).toBe('type Query { ä: Int }');
      expect(await store.readBlob(digestOf('another'), 7, signal)).toBeUndefined();
      expect(await store.listBlobs(signal)).toMatchObject([reference]);
    });

    it('creates a record once, for one of many callers', async () => {
      const store = await open();
      expect(await store.readHead(log, signal)).toBe(0);
      expect(await store.readRecord(log, 1, signal)).toBeUndefined();
      const callers = Array.from({ length: 8 }, (_, index) =>
        store.createRecord(log, 1, `jws-${index}`, signal),
      );
      const winners = (await Promise.all(callers)).flatMap((created, index) => (created ? [index] : []));
      expect(winners).toHaveLength(1);
      expect(await store.readRecord(log, 1, signal)).toBe(`jws-${winners[0]}`);
      expect(await store.createRecord(log, 2, 'second', signal)).toBe(true);
      expect([await store.readHead(log, signal), await store.readHead(log, signal, 1)]).toEqual([2, 2]);
    });

    it('lists logs that have records', async () => {
      const store = await open();
      expect(await store.listLogs(signal)).toEqual([]);
      await store.createRecord({ graph: 'shop', environment: 'staging' }, 1, 'one', signal);
      await store.createRecord(log, 1, 'one', signal);
      expect(await store.listLogs(signal)).toEqual([log, { graph: 'shop', environment: 'staging' }]);
    });

    it('deletes texts that are old, and none that were written again', async () => {
      const store = await open();
      const content = Buffer.from('text');
      const reference = referenceOf(content);
      await store.writeBlob(reference, content, signal);
      expect(await store.deleteBlob(reference.digest, new Date(Date.now() - 60_000), signal)).toBe(false);
      expect(await store.deleteBlob(reference.digest, new Date(Date.now() + 60_000), signal)).toBe(true);
      expect(await store.readBlob(reference.digest, reference.bytes, signal)).toBeUndefined();
    });

    it('ends what was aborted', async () => {
      const store = await open();
      const aborted = AbortSignal.abort(new Error('enough'));
      await expect(store.readHead(log, aborted)).rejects.toThrow('enough');
      await expect(store.createRecord(log, 1, 'one', aborted)).rejects.toThrow('enough');
      expect(await store.readHead(log, signal)).toBe(0);
    });

    it('gives concurrent publishers one linear log', async () => {
      const [store, key] = [await open(), await createKey()];
      const names = ['users', 'posts', 'comments', 'search', 'events'];
      const publishers = names.map(async (name) => {
        const next = await releaseOf(store, name, signal);
        return appendRecord({ store, log, ...key, signal }, async () => next);
      });
      const outcomes = await Promise.all(publishers);
      expect(
        outcomes.map(({ head }) => head.record.sequence).toSorted((left, right) => left - right),
      ).toEqual([1, 2, 3, 4, 5]);
      const seen: string[] = [];
      const head = await verifyLog(store, log, key.trust, {
        signal,
        onRecord: ({ hash }) => seen.push(hash),
      });
      expect([head?.record.sequence, new Set(seen).size]).toEqual([5, 5]);
    });

    it('serves what was published to readers', async () => {
      const [store, key] = [await open(), await createKey()];
      const { record } = await publishAll(store, ['users', 'posts'], { ...key, signal });
      const release = await readRelease(store, record.release, signal);
      expect(release.subgraphs.map(({ name }) => name)).toEqual(['posts']);
      expect(await readTextBlob(store, release.supergraph, signal)).toBe('schema of posts');
    });
  });
}
