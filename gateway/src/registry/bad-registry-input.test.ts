import { rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { print } from 'graphql';
import { CompactSign, importJWK } from 'jose';
import { gql } from 'graphql-tag';
import { createRecordSigner, encodeRelease, generateRecordKey, writeTextBlob } from '@trellis/registry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GraphFollowers, queryFieldsOf } from '../testing/graph-followers.ts';
import { canaryOf, PublishedGraph } from '../testing/published-graph.ts';
import { versionOf } from './served-generations.ts';

const subgraph = (field: string): { name: string; url: string; typeDefs: ReturnType<typeof gql> } => ({
  name: 'numbers',
  url: 'http://numbers.test/graphql',
  typeDefs: gql`type Query { one: Int ${field} }`,
});

let graph: PublishedGraph;
let followers: GraphFollowers;

beforeEach(async () => {
  graph = await PublishedGraph.create();
  followers = new GraphFollowers(graph);
  await graph.publish([subgraph('two: Int')]);
});
afterEach(async () => {
  await followers.close();
  graph.close();
});

const recordPath = (sequence: number, environment = 'production'): string =>
  join(graph.folder, `graphs/library/environments/${environment}/log/0000000${sequence}.jws`);
const blobPath = (digest: string): string => join(graph.folder, 'blobs/sha256', digest);

/** A record 2 that was signed by the right key, whatever it says. */
async function sign(change: (payload: Record<string, unknown>) => unknown): Promise<string> {
  const jws = await graph.store.readRecord(graph.log, 1, AbortSignal.timeout(90_000));
  const [header = '', payload = ''] = (jws ?? '').split('.');
  const said = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
  const key = await importJWK(JSON.parse(graph.signingKey) as Parameters<typeof importJWK>[0], 'Ed25519');
  return new CompactSign(Buffer.from(JSON.stringify(change(said))))
    .setProtectedHeader(JSON.parse(Buffer.from(header, 'base64url').toString()) as { alg: string })
    .sign(key);
}

/** What is done to the registry after the gateway has served record 1, and what the log and the metric name. */
const BAD_INPUT: readonly (readonly [what: string, reason: string, harm: () => Promise<unknown>])[] = [
  [
    'a record of a foreign key',
    'UNTRUSTED_KEY',
    async () => {
      const foreign = await createRecordSigner(JSON.stringify(await generateRecordKey()));
      const { record, hash } = (await graph.head()) ?? {};
      const next = { ...record, sequence: 2, previous: hash, id: 'a'.repeat(32) } as Parameters<
        typeof foreign.sign
      >[0];
      await writeFile(recordPath(2), await foreign.sign(next));
    },
  ],
  ['a record without a signature', 'UNSIGNED', () => writeFile(recordPath(2), '{"sequence":2}')],
  [
    'a record that was changed after it was signed',
    'BAD_SIGNATURE',
    async () => {
      await graph.append({});
      const [header, payload, signature = ''] = (
        (await graph.store.readRecord(graph.log, 2, AbortSignal.timeout(90_000))) ?? ''
      ).split('.');
      const other = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
      await writeFile(recordPath(2), [header, payload, other].join('.'));
    },
  ],
  [
    "another environment's record",
    'OTHER_LOG',
    async () =>
      writeFile(
        recordPath(2),
        await sign((said) => ({ ...said, environment: 'staging', sequence: 2, previous: '0'.repeat(64) })),
      ),
  ],
  [
    'an older record in the place of a new one',
    'OTHER_LOG',
    async () =>
      writeFile(
        recordPath(2),
        (await graph.store.readRecord(graph.log, 1, AbortSignal.timeout(90_000))) ?? '',
      ),
  ],
  [
    'a record that does not follow the one before',
    'BROKEN_CHAIN',
    async () =>
      writeFile(recordPath(2), await sign((said) => ({ ...said, sequence: 2, previous: '0'.repeat(64) }))),
  ],
  [
    'a log that begins again',
    'REWRITTEN',
    async () => writeFile(recordPath(1), await sign((said) => ({ ...said, id: 'b'.repeat(32) }))),
  ],
  ['a log that has become shorter', 'REWRITTEN', () => rm(recordPath(1))],
  [
    'a record of a newer format',
    'NEWER_FORMAT',
    async () =>
      writeFile(
        recordPath(2),
        await sign((said) => ({ ...said, format: 'trellis-registry-record/9', sequence: 2 })),
      ),
  ],
  [
    'an altered text',
    'BLOB_ALTERED',
    async () => {
      const { release } = (await graph.publish([subgraph('three: Int')])).record;
      await writeFile(blobPath(release.digest), 'something else');
    },
  ],
  [
    'a missing text',
    'BLOB_MISSING',
    async () => {
      const { release } = (await graph.publish([subgraph('three: Int')])).record;
      await rm(blobPath(release.digest));
    },
  ],
  [
    'a text over 32 MB',
    'TOO_LARGE',
    async () => {
      const { release } = (await graph.publish([subgraph('three: Int')])).record;
      await truncate(blobPath(release.digest), 32 * 1024 * 1024 + 1);
    },
  ],
  [
    'a release of a newer format',
    'NEWER_FORMAT',
    async () => {
      const text = encodeRelease({
        subgraphs: [],
        supergraph: { digest: '0'.repeat(64), bytes: 0 },
        apiSchema: { digest: '0'.repeat(64), bytes: 0 },
        contracts: [],
        hints: [],
        composers: {},
      }).replace('trellis-registry-release/1', 'trellis-registry-release/9');
      await graph.append({ release: await writeTextBlob(graph.store, text, AbortSignal.timeout(90_000)) });
    },
  ],
  [
    'a text that is no supergraph',
    'InvalidSupergraph',
    async () =>
      graph.append({
        release: await graph.releaseOf(
          print(gql`
            type Query {
              one: Int
            }
          `),
          [],
        ),
      }),
  ],
  ['a registry that is gone', 'NO_REGISTRY', () => rename(graph.folder, `${graph.folder}.gone`)],
];

describe('Bad input of a registry', () => {
  it.each(BAD_INPUT)('%s changes nothing, and is reported: %s', async (_what, reason, harm) => {
    const followed = await followers.follow();
    const before = followed.current();
    await harm();
    await followed.look();
    await followed.look();
    expect(followers.rejected).toHaveLength(1);
    expect(followers.rejected[0]).toContain(reason);
    expect(followed.current()).toBe(before);
    // After a restart the last good release serves, from the disk.
    const restarted = await followers.follow();
    expect(queryFieldsOf(restarted.current())).toEqual(['one', 'two']);
    expect(versionOf(restarted.served)).toBe('production.1');
  });

  it('with more variants than are served at once serves the new release, without the surplus', async () => {
    const followed = await followers.follow();
    const { release } = (await graph.publish([subgraph('three: Int')])).record;
    const variants = Array.from({ length: 10 }, (_, index) => ({
      ...canaryOf(release, 1),
      name: `v${index}`,
    }));
    await graph.append({ variants });
    await followed.look();
    expect(followers.rejected).toEqual([]);
    expect(queryFieldsOf(followed.current())).toEqual(['one', 'three']);
    expect([followed.served.variants.length, followed.served.surplus]).toEqual([8, ['v8', 'v9']]);
  });

  it('without a last good release stops a start', async () => {
    await rename(graph.folder, `${graph.folder}.gone`);
    await expect(followers.follow()).rejects.toMatchObject({ code: 'NO_REGISTRY' });
  });

  it('on the disk of the gateway is set aside: the registry serves, and the copy is made again', async () => {
    await (await followers.follow()).close();
    const copied = join(
      graph.cacheDirectory,
      'library@production',
      'graphs/library/environments/production/log/00000001.jws',
    );
    await writeFile(copied, 'damaged');
    expect(queryFieldsOf((await followers.follow()).current())).toEqual(['one', 'two']);
    expect(followers.damaged).toEqual(['UNSIGNED']);
    await rename(graph.folder, `${graph.folder}.gone`);
    expect(queryFieldsOf((await followers.follow()).current())).toEqual(['one', 'two']);
  });

  it('that could not be stored is stored with the next: the copy has no gap', async () => {
    const followed = await followers.follow();
    const blobs = join(graph.cacheDirectory, 'library@production/blobs');
    await rename(blobs, `${blobs}.gone`);
    await writeFile(blobs, 'a disk that fails');
    await graph.publish([subgraph('three: Int')]);
    await followed.look();
    expect(followers.damaged).toHaveLength(1);
    await rm(blobs);
    await rename(`${blobs}.gone`, blobs);
    await graph.publish([subgraph('four: Int')]);
    await followed.look();
    await rename(graph.folder, `${graph.folder}.gone`);
    const restarted = await followers.follow();
    expect(versionOf(restarted.served)).toBe('production.3');
    expect(followers.damaged).toHaveLength(1);
  });
});
