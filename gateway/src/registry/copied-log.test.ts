import { readdir, rename, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createRecordSigner,
  FolderStore,
  generateRecordKey,
  readRelease,
  readTextBlob,
  verifyLog,
  writeTextBlob,
  type RecordSigner,
  type RegistryStore,
  type VerifiedHead,
  type VerifiedRecord,
} from '@trellis/registry';
import { gql } from 'graphql-tag';
import { until } from '@trellis/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeOf, GraphFollowers } from '../testing/graph-followers.ts';
import { PublishedGraph } from '../testing/published-graph.ts';
import { CopiedLog } from './copied-log.ts';
import { type FollowedRegistry } from './followed-registry.ts';
import { versionOf } from './served-generations.ts';
import { LastGoodRelease } from './last-good-release.ts';

/** Records of a copy beside those that name keys. */
const STORED = 32;
const { signal } = new AbortController(); // never aborted: the limit of each test is its deadline

let graph: PublishedGraph;
let signer: RecordSigner;
let head: VerifiedHead;
let followers: GraphFollowers;

beforeEach(async () => {
  graph = await PublishedGraph.create();
  signer = graph.signer;
  followers = new GraphFollowers(graph);
  head = await graph.publish([SUBGRAPH]);
});
afterEach(async () => {
  await followers.close();
  graph.close();
});

const SUBGRAPH = {
  name: 'numbers',
  url: 'http://numbers.test/graphql',
  typeDefs: gql`
    type Query {
      one: Int
    }
  `,
};

async function append(records: number): Promise<void> {
  for (let count = 0; count < records; count += 1) head = await graph.append({}, signer);
}

/** From the next record on, others sign. */
async function changeKey(release = head.record.release): Promise<void> {
  const next = await createRecordSigner(JSON.stringify(await generateRecordKey()));
  head = await graph.append({ release, keys: [next.publicKey], action: 'keys' }, signer);
  signer = next;
}

async function recordsAfter(from: VerifiedHead | undefined): Promise<readonly VerifiedRecord[]> {
  const records: VerifiedRecord[] = [];
  await verifyLog(graph.store, graph.log, graph.trust, {
    from,
    onRecord: (one) => records.push(one),
    signal,
  });
  return records;
}

async function copyIn(folder: string): Promise<FolderStore> {
  const store = new FolderStore(join(graph.cacheDirectory, folder));
  await store.initialize(signal);
  return store;
}

async function verify(store: FolderStore): Promise<VerifiedHead | undefined> {
  const { records, damage } = await new CopiedLog(store, graph.log).verify(graph.trust, signal);
  expect(damage).toBeUndefined();
  return records.at(-1);
}

async function sequencesIn(store: FolderStore): Promise<readonly number[]> {
  return store.listRecords(graph.log, signal);
}

const lastOf = (sequence: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => sequence - count + 1 + index);

/** The folder in which a followed registry has its copy. */
const FOLLOWED = 'library@production';

const NEWEST = {
  ...SUBGRAPH,
  typeDefs: gql`
    type Query {
      one: Int
      newest: Int
    }
  `,
};

async function copyTexts(store: FolderStore, { record }: VerifiedHead): Promise<void> {
  const { supergraph } = await readRelease(graph.store, record.release, signal);
  for (const reference of [record.release, supergraph])
    await writeTextBlob(store, await readTextBlob(graph.store, reference, signal), signal);
}

const follow = (
  store: RegistryStore = graph.store,
  directory = graph.cacheDirectory,
): Promise<FollowedRegistry> => followers.follow({ store, directory });

const changedSignature = (jws: string): string => {
  const at = jws.lastIndexOf('.') + 1;
  return `${jws.slice(0, at)}${jws[at] === 'A' ? 'B' : 'A'}${jws.slice(at + 1)}`;
};

/** A registry without keys that would have a gateway store what it did not verify. */
class LyingStore extends FolderStore {
  /** Texts that are not given. */
  hidden = new Set<string>();
  /** Records that were read. */
  readRecords = 0;
  /** Texts that are given once each. */
  once = new Set<string>();
  /** The record whose signature is another one. */
  changed = 0;
  readonly #given = new Set<string>();

  override async readBlob(...given: Parameters<FolderStore['readBlob']>): Promise<Uint8Array | undefined> {
    const [digest] = given;
    if (this.hidden.has(digest) || (this.once.has(digest) && this.#given.has(digest))) return undefined;
    this.#given.add(digest);
    return super.readBlob(...given);
  }

  override async readRecord(...given: Parameters<FolderStore['readRecord']>): Promise<string | undefined> {
    this.readRecords += 1;
    const jws = await super.readRecord(...given);
    return jws !== undefined && given[1] === this.changed ? changedSignature(jws) : jws;
  }
}

/** A disk of a process that is killed after so many changes. */
class KilledStore extends FolderStore {
  #left = Number.POSITIVE_INFINITY;

  killAfter(changes: number): void {
    this.#left = changes;
  }

  override async createRecord(...given: Parameters<FolderStore['createRecord']>): Promise<boolean> {
    this.#change();
    return super.createRecord(...given);
  }

  override async deleteRecord(...given: Parameters<FolderStore['deleteRecord']>): Promise<void> {
    this.#change();
    return super.deleteRecord(...given);
  }

  #change(): void {
    if (this.#left <= 0) throw new Error('killed');
    this.#left -= 1;
  }
}

describe('The copied log of a registry', () => {
  it('has the newest records and those that name keys, however long it is followed', async () => {
    const store = await copyIn('followed');
    const copied = new CopiedLog(store, graph.log);
    await append(3);
    await changeKey();
    let followed: VerifiedHead | undefined;
    for (let look = 0; look < 5; look += 1) {
      await append(12);
      await copied.add(graph.store, await recordsAfter(followed), head, signal);
      followed = head;
    }
    expect(await sequencesIn(store)).toEqual([5, ...lastOf(65, STORED)]);
    expect((await verify(store))?.hash).toBe(head.hash);
  });

  it('takes no more of a long log that is first met at its end', async () => {
    await changeKey();
    await append(50);
    const store = await copyIn('late');
    await new CopiedLog(store, graph.log).add(graph.store, await recordsAfter(undefined), head, signal);
    expect(await sequencesIn(store)).toEqual([2, ...lastOf(52, STORED)]);
    expect((await verify(store))?.hash).toBe(head.hash);
  });

  it('leads to the same head after a kill at each step of writing and deleting', async () => {
    await append(STORED + 4);
    const before = { head, records: await recordsAfter(undefined) };
    await append(2);
    const typeDefs = gql`
      type Query {
        between: Int
      }
    `;
    const between = await graph.release([{ ...SUBGRAPH, typeDefs }]);
    await changeKey(between);
    head = await graph.append({ release: await graph.release([NEWEST]) }, signer);
    await append(3);
    const added = await recordsAfter(before.head);
    const found: number[] = [];
    const served: number[] = [];
    let isWhole = false;
    for (let changes = 0; !isWhole; changes += 1) {
      const directory = join(graph.cacheDirectory, `killed-${changes}`);
      const path = join(directory, FOLLOWED);
      const store = new KilledStore(path);
      await store.initialize(signal);
      // Texts are copied first; those of the record that names keys are not.
      for (const one of [before.head, head]) await copyTexts(store, one);
      await new CopiedLog(store, graph.log).add(graph.store, before.records, before.head, signal);
      store.killAfter(changes);
      isWhole = await new CopiedLog(store, graph.log).add(graph.store, added, head, signal).then(
        () => true,
        () => false,
      );
      const restarted = new FolderStore(path);
      const verified = await verify(restarted);
      found.push(verified?.record.sequence ?? 0);
      const offline = await follow(new FolderStore(join(graph.cacheDirectory, 'gone')), directory);
      served.push(offline.served.record.sequence);
      await offline.close();
      // What is followed from there ends in the same copy.
      await new CopiedLog(restarted, graph.log).add(graph.store, await recordsAfter(verified), head, signal);
      expect((await verify(restarted))?.hash).toBe(head.hash);
      expect((await sequencesIn(restarted)).length).toBeLessThanOrEqual(STORED + 1);
    }
    // The head of before, then the record that names keys, then the new head at once.
    const keys = before.head.record.sequence + 3;
    expect([...new Set(found)]).toEqual([before.head.record.sequence, keys, head.record.sequence]);
    expect([...new Set(served)]).toEqual([before.head.record.sequence, head.record.sequence]);
    expect(found.length).toBeGreaterThan(added.length + 4);
  });

  it('of an earlier version, with all records, serves without the registry and is cut when that is back', async () => {
    await follow().then((one) => one.close());
    await append(4);
    await changeKey();
    await append(60);
    const store = await copyIn(FOLLOWED);
    for (const { record, jws } of await recordsAfter(undefined))
      await store.createRecord(graph.log, record.sequence, jws, signal);
    await rename(graph.folder, `${graph.folder}.gone`);
    const offline = await follow();
    expect(versionOf(offline.served)).toBe(`production.${head.record.sequence}`);
    expect((await sequencesIn(store)).length).toBe(head.record.sequence);
    await offline.close();
    await rename(`${graph.folder}.gone`, graph.folder);
    await follow();
    expect(await sequencesIn(store)).toEqual([6, ...lastOf(head.record.sequence, STORED)]);
    expect(followers.damaged).toEqual([]);
  });

  it('still notices a registry that has become shorter, was rewritten or goes on otherwise', async () => {
    await append(60);
    await follow().then((one) => one.close());
    const store = await copyIn(FOLLOWED);
    expect(await sequencesIn(store)).toEqual(lastOf(head.record.sequence, STORED));
    const last = head.record.sequence;

    await graph.store.deleteRecord(graph.log, last, signal);
    await follow().then((one) => one.close());
    const [former] = (await recordsAfter(undefined)).slice(-1);
    const { record } = head;
    const other = await signer.sign({ ...record, id: 'another'.repeat(4) });
    await graph.store.createRecord(graph.log, last, other, signal);
    await follow().then((one) => one.close());
    await graph.store.deleteRecord(graph.log, last, signal);
    await graph.store.createRecord(graph.log, last, head.jws, signal);
    const unchained = await signer.sign({ ...record, sequence: last + 1, previous: former?.hash });
    await graph.store.createRecord(graph.log, last + 1, unchained, signal);
    const followed = await follow();
    expect(followers.rejected).toEqual(['REWRITTEN', 'REWRITTEN', 'BROKEN_CHAIN']);
    expect([versionOf(followed.served), followers.damaged]).toEqual([`production.${last}`, []]);
  });

  it('is damaged where the record is missing that names the keys of its head', async () => {
    await changeKey();
    await append(2);
    const store = await copyIn('without keys');
    await new CopiedLog(store, graph.log).add(graph.store, await recordsAfter(undefined), head, signal);
    await store.deleteRecord(graph.log, 2, signal);
    const copy = await new CopiedLog(store, graph.log).verify(graph.trust, signal);
    expect([copy.isHeadBad, copy.damage?.code]).toEqual([true, 'UNTRUSTED_KEY']);
  });

  it('does not store a record that is another one when it is read again, and a roll back is noticed after it', async () => {
    const store = new LyingStore(graph.folder);
    const followed = await follow(store);
    for (const field of ['two', 'three']) {
      const published = await graph.publish([
        { ...SUBGRAPH, typeDefs: gql`type Query { one: Int ${field}: Int }` },
      ]);
      const { supergraph } = await readRelease(graph.store, published.record.release, signal);
      store.once = new Set([published.record.release.digest, supergraph.digest]);
      await followed.look();
    }
    store.once = new Set();
    store.changed = 2;
    head = await graph.publish([NEWEST]);
    await followed.look();
    expect([versionOf(followed.served), followers.damaged]).toEqual([
      'production.4',
      ['BLOB_MISSING', 'BLOB_MISSING', 'BROKEN_CHAIN'],
    ]);
    expect(await sequencesIn(await copyIn(FOLLOWED))).toEqual([1]);
    store.changed = 0;
    await followed.look();
    await followed.close();
    for (const sequence of [4, 3, 2]) await graph.store.deleteRecord(graph.log, sequence, signal);
    expect(versionOf((await follow()).served)).toBe('production.4');
    expect(followers.rejected).toEqual(['REWRITTEN']);
  });

  it.each([
    ['of the history is bad loses that record alone', 2, 4],
    ['at its head is bad still remembers the newest that is good', 4, 3],
  ])('whose record %s', async (_title, bad, floor) => {
    await append(3);
    await follow().then((one) => one.close());
    const store = await copyIn(FOLLOWED);
    const jws = (await store.readRecord(graph.log, bad, signal)) ?? '';
    await store.deleteRecord(graph.log, bad, signal);
    await store.createRecord(graph.log, bad, changedSignature(jws), signal);
    for (let sequence = 4; sequence >= floor; sequence -= 1)
      await graph.store.deleteRecord(graph.log, sequence, signal);
    const start = await follow().then(
      (one) => versionOf(one.served),
      (error: unknown) => codeOf(error),
    );
    // The newest that is good is what the registry must have, and what serves where it does not.
    const served = bad === 4 ? 'production.3' : 'production.4';
    expect([start, followers.damaged[0], followers.rejected]).toEqual([
      served,
      'BAD_SIGNATURE',
      ['REWRITTEN'],
    ]);
    const isSetAside = (await readdir(graph.cacheDirectory)).includes(`${FOLLOWED}.damaged`);
    expect(isSetAside).toBe(bad === 4);
  });

  it('that was damaged has the log read from its beginning once, while the head of that can not be served', async () => {
    await append(20);
    await follow().then((one) => one.close());
    const copied = await copyIn(FOLLOWED);
    const jws = (await copied.readRecord(graph.log, 2, signal)) ?? '';
    await copied.deleteRecord(graph.log, 2, signal);
    await copied.createRecord(graph.log, 2, changedSignature(jws), signal);
    head = await graph.publish([NEWEST]);
    const store = new LyingStore(graph.folder);
    store.hidden.add(head.record.release.digest);
    const followed = await follow(store);
    expect([versionOf(followed.served), store.readRecords]).toEqual(['production.21', 22]);
    await followed.look();
    await append(1);
    await followed.look();
    expect([versionOf(followed.served), store.readRecords]).toEqual(['production.21', 25]);
    store.hidden.clear();
    await until(async () => {
      await followed.look();
      return versionOf(followed.served) === 'production.23';
    });
    expect(await sequencesIn(copied)).toEqual(lastOf(23, 23));
    expect(followers.damaged).toEqual(['BAD_SIGNATURE']);
  });

  it('whose newest texts are missing says of each record why it does not serve', async () => {
    await follow().then((one) => one.close());
    const first = head.record.release;
    const store = await copyIn(FOLLOWED);
    for (const field of ['two', 'three']) {
      const typeDefs = gql`type Query { one: Int ${field}: Int }`;
      head = await graph.publish([{ ...SUBGRAPH, typeDefs }]);
      await store.createRecord(graph.log, head.record.sequence, head.jws, signal);
    }
    const offline = await follow(new FolderStore(`${graph.folder}.gone`));
    expect(versionOf(offline.served)).toBe('production.1');
    expect(offline.served.record.release).toEqual(first);
    expect(followers.damaged).toEqual([
      expect.stringMatching(/Record 3 cannot be served from the copy: .*registry\.gone: It is no registry/),
      expect.stringMatching(/Record 2 cannot be served from the copy: .* has no text /),
    ]);
  });

  it('is not tried once only: what could not be copied is copied at a later look', async () => {
    const store = new LyingStore(graph.folder);
    const followed = await follow(store);
    const { record } = await graph.publish([NEWEST]);
    const { supergraph } = await readRelease(graph.store, record.release, signal);
    store.once = new Set([record.release.digest, supergraph.digest]);
    await followed.look();
    expect([versionOf(followed.served), followers.damaged]).toEqual(['production.2', ['BLOB_MISSING']]);
    store.once = new Set();
    await followed.look();
    await followed.close();
    expect(versionOf((await follow(new FolderStore(`${graph.folder}.gone`))).served)).toBe('production.2');
  });

  it('keeps the texts of a newer head that another process has stored', async () => {
    const first = head;
    const behind = new LastGoodRelease(graph.cacheDirectory, graph.log);
    await behind.verify(graph.trust, signal);
    head = await graph.publish([NEWEST]);
    const ahead = new LastGoodRelease(graph.cacheDirectory, graph.log);
    await ahead.replace(graph.store, { head, records: await recordsAfter(undefined) }, signal);
    const blobs = join(graph.cacheDirectory, FOLLOWED, 'blobs/sha256');
    for (const name of await readdir(blobs)) await utimes(join(blobs, name), 0, 0);
    await behind.replace(graph.store, { head: first, records: [first] }, signal);
    const followed = await follow(new FolderStore(`${graph.folder}.gone`));
    expect(versionOf(followed.served)).toBe('production.2');
  });
});
