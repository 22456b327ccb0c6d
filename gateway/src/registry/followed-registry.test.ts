import { rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CompactSign, importJWK } from 'jose';
import { gql } from 'graphql-tag';
import {
  createRecordSigner,
  encodeRelease,
  FolderStore,
  generateRecordKey,
  writeTextBlob,
} from '@trellis/registry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canaryOf, PublishedGraph } from '../testing/published-graph.ts';
import { InvalidSupergraph } from '../supergraph/build-supergraph.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { followRegistry, versionOf, type FollowedRegistry, type FollowOptions } from './followed-registry.ts';

const subgraph = (field: string): { name: string; url: string; typeDefs: ReturnType<typeof gql> } => ({
  name: 'numbers',
  url: 'http://numbers.test/graphql',
  typeDefs: gql(`type Query { one: Int ${field} }`),
});

let graph: PublishedGraph;
let opened: FollowedRegistry[];
let rejected: string[];
let damaged: string[];

beforeEach(async () => {
  graph = await PublishedGraph.create();
  opened = [];
  rejected = [];
  damaged = [];
  await graph.publish([subgraph('two: Int')]);
});
afterEach(async () => {
  await Promise.all(opened.map((one) => one.close()));
  graph.close();
});

async function follow(more: Partial<FollowOptions> = {}): Promise<FollowedRegistry> {
  const followed = await followRegistry({
    store: graph.store,
    log: graph.log,
    trust: graph.trust,
    directory: graph.cacheDirectory,
    subgraphUrls: {},
    warm: async () => undefined,
    pollMs: () => 3_600_000,
    observer: {
      verified: () => undefined,
      serving: () => undefined,
      stopped: () => undefined,
      checked: () => undefined,
      rejected: (error) => void rejected.push(codeOf(error)),
      copyFailed: (error) => void damaged.push(codeOf(error)),
      verdictFailed: (_sequence, error) => void damaged.push(codeOf(error)),
    },
    ...more,
  });
  opened.push(followed);
  return followed;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

function fieldsOf(supergraph: Supergraph): readonly string[] {
  return Object.keys(supergraph.schema.getQueryType()?.getFields() ?? {});
}

const recordPath = (sequence: number, environment = 'production'): string =>
  join(graph.folder, `graphs/library/environments/${environment}/log/0000000${sequence}.jws`);
const blobPath = (digest: string): string => join(graph.folder, 'blobs/sha256', digest);

/** A record 2 that was signed by the right key, whatever it says. */
async function sign(change: (payload: Record<string, unknown>) => unknown): Promise<string> {
  const jws = await graph.store.readRecord(graph.log, 1, AbortSignal.timeout(5_000));
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
      const { record, hash } = (await headOf()) ?? {};
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
        (await graph.store.readRecord(graph.log, 2, AbortSignal.timeout(5_000))) ?? ''
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
        (await graph.store.readRecord(graph.log, 1, AbortSignal.timeout(5_000))) ?? '',
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
      await graph.append({ release: await writeTextBlob(graph.store, text, AbortSignal.timeout(5_000)) });
    },
  ],
  [
    'a text that is no supergraph',
    'InvalidSupergraph',
    async () => graph.append({ release: await graph.releaseOf('type Query { one: Int }', []) }),
  ],
  [
    'more variants than are served at once',
    'InvalidSupergraph',
    async () => {
      const { release } = (await headOf())?.record ?? {};
      const variants = Array.from({ length: 9 }, (_, index) => ({
        ...canaryOf(release ?? { digest: '', bytes: 0 }, 1),
        name: `v${index}`,
      }));
      await graph.append({ variants });
    },
  ],
  ['a registry that is gone', 'NO_REGISTRY', () => rename(graph.folder, `${graph.folder}.gone`)],
];

async function headOf(): Promise<Awaited<ReturnType<PublishedGraph['append']>> | undefined> {
  const { verifyLog } = await import('@trellis/registry');
  return verifyLog(graph.store, graph.log, graph.trust, { signal: AbortSignal.timeout(5_000) });
}

describe('Bad input of a registry', () => {
  it.each(BAD_INPUT)('%s changes nothing, and is reported: %s', async (_what, reason, harm) => {
    const followed = await follow();
    const before = followed.current();
    await harm();
    await followed.look();
    await followed.look();
    expect(rejected).toHaveLength(1);
    expect(rejected[0]).toContain(reason);
    expect(followed.current()).toBe(before);
    // After a restart the last good release serves, from the disk.
    const restarted = await follow();
    expect(fieldsOf(restarted.current())).toEqual(['one', 'two']);
    expect(versionOf(restarted.served)).toBe('production.1');
  });

  it('without a last good release stops a start', async () => {
    await rename(graph.folder, `${graph.folder}.gone`);
    await expect(follow()).rejects.toMatchObject({ code: 'NO_REGISTRY' });
  });

  it('on the disk of the gateway is set aside: the registry serves, and the copy is made again', async () => {
    await (await follow()).close();
    const copied = join(
      graph.cacheDirectory,
      'library@production',
      'graphs/library/environments/production/log/00000001.jws',
    );
    await writeFile(copied, 'damaged');
    expect(fieldsOf((await follow()).current())).toEqual(['one', 'two']);
    expect(damaged).toEqual(['UNSIGNED']);
    await rename(graph.folder, `${graph.folder}.gone`);
    expect(fieldsOf((await follow()).current())).toEqual(['one', 'two']);
  });

  it('that could not be stored is stored with the next: the copy has no gap', async () => {
    const followed = await follow();
    const blobs = join(graph.cacheDirectory, 'library@production/blobs');
    await rename(blobs, `${blobs}.gone`);
    await writeFile(blobs, 'a disk that fails');
    await graph.publish([subgraph('three: Int')]);
    await followed.look();
    expect(damaged).toHaveLength(1);
    await rm(blobs);
    await rename(`${blobs}.gone`, blobs);
    await graph.publish([subgraph('four: Int')]);
    await followed.look();
    await rename(graph.folder, `${graph.folder}.gone`);
    const restarted = await follow();
    expect(versionOf(restarted.served)).toBe('production.3');
    expect(damaged).toHaveLength(1);
  });
});

describe('A followed registry', () => {
  it('serves a new release once it is prepared, and says what no longer serves', async () => {
    const warmed: string[] = [];
    const followed = await follow({ warm: async (next) => void warmed.push(next.hash) });
    const first = followed.current();
    const retired: Supergraph[] = [];
    followed.onChange((generations) => retired.push(...generations));
    await graph.publish([subgraph('three: Int')]);
    await followed.look();
    expect(fieldsOf(followed.current())).toEqual(['one', 'three']);
    expect(followed.current().version).toBe('production.2');
    expect(first.version).toBe('production.1');
    expect(retired).toEqual([first]);
    expect(warmed).toEqual([first.hash, followed.current().hash]);
  });

  it('takes an older release in a newer record for a rollback', async () => {
    const { release } = (await headOf())?.record ?? {};
    await graph.publish([subgraph('three: Int')]);
    const followed = await follow();
    await graph.append({ release, action: 'rollback' });
    await followed.look();
    expect(fieldsOf(followed.current())).toEqual(['one', 'two']);
    expect(followed.current().version).toBe('production.3');
  });

  it('uses the generation of a canary again when that becomes the main version', async () => {
    const followed = await follow();
    const first = followed.current();
    const release = await graph.release([subgraph('three: Int')]);
    await graph.append({ variants: [canaryOf(release, 5)], action: 'canary' });
    await followed.look();
    const canary = followed.served.variants[0]?.supergraph;
    expect(canary?.version).toBe('production.2/canary');
    expect(followed.current()).toBe(first);
    expect(first.version).toBe('production.2');
    await graph.append({ release, variants: [], action: 'promote' });
    await followed.look();
    expect(followed.current()).toBe(canary);
    expect(followed.serves(first)).toBe(false);
    expect(canary?.version).toBe('production.3');
  });

  it('asks a variant at its own address where its release has another one', async () => {
    const release = await graph.release([{ ...subgraph('three: Int'), url: 'http://next.test/graphql' }]);
    await graph.append({
      variants: [canaryOf(release, 5)],
      routing: [{ subgraph: 'numbers', url: 'http://in-production.test/graphql' }],
    });
    const { served } = await follow();
    expect(served.main.subgraphs.get('numbers')?.url).toBe('http://in-production.test/graphql');
    expect(served.variants[0]?.supergraph.subgraphs.get('numbers')?.url).toBe('http://next.test/graphql');
  });

  it('subscribes where and how a release says; who moves a subgraph moves its subscriptions', async () => {
    const subscribed = {
      ...subgraph('two: Int'),
      subscriptionUrl: 'ws://events.test/',
      subscriptionProtocol: 'graphql-ws',
    };
    const endpoint = async (more: Partial<FollowOptions> = {}): Promise<unknown> =>
      (await follow({ directory: undefined, ...more })).current().subgraphs.get('numbers');
    await graph.publish([subscribed]);
    const { url } = subscribed;
    expect(await endpoint()).toEqual({
      name: 'numbers',
      url,
      subscription: { url: 'ws://events.test/', transport: 'websocket' },
    });
    const moved = { name: 'numbers', url: 'http://moved.test/', subscription: { transport: 'websocket' } };
    expect(await endpoint({ subgraphUrls: { numbers: 'http://moved.test/' } })).toEqual(moved);
    await graph.append({ routing: [{ subgraph: 'numbers', url: 'http://moved.test/' }] });
    expect(await endpoint()).toEqual(moved);
    await graph.append({
      routing: [{ subgraph: 'numbers', subscriptionUrl: 'http://sse.test/', subscriptionProtocol: 'sse' }],
    });
    const followed = await follow();
    expect(followed.current().subgraphs.get('numbers')).toEqual({
      name: 'numbers',
      url,
      subscription: { url: 'http://sse.test/', transport: 'sse' },
    });
    await graph.append({ routing: [{ subgraph: 'numbers', subscriptionProtocol: 'pigeon' }] });
    await followed.look();
    expect(rejected).toEqual([expect.stringContaining('"pigeon"')]);
  });

  it('does not serve a stopped variant again: not after other records, not after a restart, but when an operator starts it', async () => {
    const followed = await follow();
    const variants = [canaryOf(await graph.release([subgraph('three: Int')]), 5)];
    await graph.append({ variants, action: 'canary' });
    await followed.look();
    const [canary] = followed.served.variants;
    if (!canary) throw new Error('there is no canary');
    expect(followed.stopVariant(canary)).toBe(true);
    expect(followed.stopVariant(canary)).toBe(false);
    expect(followed.serves(canary.supergraph)).toBe(false);
    await graph.publish([subgraph('four: Int')]);
    await followed.look();
    expect(followed.served.variants).toEqual([]);
    await followed.close();
    expect((await follow()).served.variants).toEqual([]);
    await graph.append({ variants, action: 'canary' });
    expect((await follow()).served.variants).toHaveLength(1);
  });

  it('does not ask without end where a record is announced that can not be read yet', async () => {
    class AheadStore extends FolderStore {
      reads = 0;
      waitForRecord(): Promise<number> {
        return Promise.resolve(99);
      }
      override readHead(...given: Parameters<FolderStore['readHead']>): Promise<number> {
        this.reads += 1;
        return super.readHead(...given);
      }
    }
    const store = new AheadStore(graph.folder);
    await follow({ store });
    await pause(200);
    expect(store.reads).toBeLessThan(4);
  });

  it.each([
    ['is invalid is built once', new InvalidSupergraph('it can not be served'), 1],
    ['could not be prepared is tried again, and more and more rarely', new Error('a text is missing'), 2],
  ])('a head that %s', async (_title, error, times) => {
    let tries = 0;
    const followed = await follow({
      warm: async (next) => {
        if (!fieldsOf(next).includes('three')) return;
        tries += 1;
        throw error;
      },
    });
    await graph.publish([subgraph('three: Int')]);
    for (let look = 0; look < 4; look += 1) await followed.look();
    expect([tries, rejected.length, versionOf(followed.served)]).toEqual([times, 1, 'production.1']);
    await graph.publish([subgraph('four: Int')]);
    await followed.look();
    expect(fieldsOf(followed.current())).toEqual(['one', 'four']);
  });

  it('goes on when the registry is back', async () => {
    const followed = await follow();
    await rename(graph.folder, `${graph.folder}.gone`);
    await followed.look();
    await rename(`${graph.folder}.gone`, graph.folder);
    await graph.publish([subgraph('three: Int')]);
    await followed.look();
    expect(fieldsOf(followed.current())).toEqual(['one', 'three']);
    expect(rejected).toEqual(['NO_REGISTRY']);
  });

  it('trusts the keys that a trusted record names, from the next record on', async () => {
    const next = await createRecordSigner(JSON.stringify(await generateRecordKey()));
    const followed = await follow();
    await graph.append({ keys: [next.publicKey], action: 'keys' });
    await graph.append({ release: await graph.release([subgraph('three: Int')]) }, next);
    await followed.look();
    expect(fieldsOf(followed.current())).toEqual(['one', 'three']);
    expect(rejected).toEqual([]);
  });
});
