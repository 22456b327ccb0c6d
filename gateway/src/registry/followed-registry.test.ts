import { rename } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { gql } from 'graphql-tag';
import { createRecordSigner, FolderStore, generateRecordKey } from '@trellis/registry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GraphFollowers, queryFieldsOf } from '../testing/graph-followers.ts';
import { canaryOf, PublishedGraph } from '../testing/published-graph.ts';
import { InvalidSupergraph } from '../supergraph/build-supergraph.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import type { FollowOptions } from './follow-options.ts';
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

describe('A followed registry', () => {
  it('serves a new release once it is prepared, and says what no longer serves', async () => {
    const warmed: string[] = [];
    const followed = await followers.follow({ warm: async (next) => void warmed.push(next.hash) });
    const first = followed.current();
    const retired: Supergraph[] = [];
    followed.onChange((generations) => retired.push(...generations));
    await graph.publish([subgraph('three: Int')]);
    await followed.look();
    expect(queryFieldsOf(followed.current())).toEqual(['one', 'three']);
    expect(followed.current().version).toBe('production.2');
    expect(first.version).toBe('production.1');
    expect(retired).toEqual([first]);
    expect(warmed).toEqual([first.hash, followed.current().hash]);
  });

  it('takes an older release in a newer record for a rollback', async () => {
    const { release } = (await graph.head())?.record ?? {};
    await graph.publish([subgraph('three: Int')]);
    const followed = await followers.follow();
    await graph.append({ release, action: 'rollback' });
    await followed.look();
    expect(queryFieldsOf(followed.current())).toEqual(['one', 'two']);
    expect(followed.current().version).toBe('production.3');
  });

  it('uses the generation of a canary again when that becomes the main version', async () => {
    const followed = await followers.follow();
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
    const { served } = await followers.follow();
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
      (await followers.follow({ directory: undefined, ...more })).current().subgraphs.get('numbers');
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
    const followed = await followers.follow();
    expect(followed.current().subgraphs.get('numbers')).toEqual({
      name: 'numbers',
      url,
      subscription: { url: 'http://sse.test/', transport: 'sse' },
    });
    await graph.append({ routing: [{ subgraph: 'numbers', subscriptionProtocol: 'pigeon' }] });
    await followed.look();
    expect(followers.rejected).toEqual([expect.stringContaining('"pigeon"')]);
  });

  it('does not serve a stopped variant again: not after other records, not after a restart, but when an operator starts it', async () => {
    const followed = await followers.follow();
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
    expect((await followers.follow()).served.variants).toEqual([]);
    await graph.append({ variants, action: 'canary' });
    expect((await followers.follow()).served.variants).toHaveLength(1);
  });

  it('does not serve a variant that the follower before has stopped, until an operator starts it', async () => {
    const before = await followers.follow({ directory: undefined });
    const variants = [canaryOf(await graph.release([subgraph('three: Int')]), 5)];
    await graph.append({ variants, action: 'canary' });
    await before.look();
    const [canary] = before.served.variants;
    if (!canary) throw new Error('there is no canary');
    before.stopVariant(canary);
    const { stops } = before;
    const next = await followers.follow({ directory: undefined, stops });
    expect(next.served.variants).toEqual([]);
    await graph.append({ variants, action: 'canary' });
    expect((await followers.follow({ directory: undefined, stops })).served.variants).toHaveLength(1);
  });

  it('looks again, and at other intervals, when a pause is ended', async () => {
    let pollMs = 3_600_000;
    const followed = await followers.follow({ pollMs: () => pollMs });
    await graph.publish([subgraph('three: Int')]);
    pollMs = 20;
    followed.endPause();
    await expect.poll(() => queryFieldsOf(followed.current())).toContain('three');
    await graph.publish([subgraph('four: Int')]);
    await expect.poll(() => queryFieldsOf(followed.current())).toContain('four');
  });

  it('retires what it has prepared for a head that can not be served', async () => {
    const retired: Supergraph[] = [];
    const followed = await followers.follow({ retire: (unused) => void retired.push(unused) });
    const release = await graph.release([subgraph('three: Int')]);
    const missing = { ...canaryOf(release, 5), release: { ...release, digest: '0'.repeat(64) } };
    await graph.append({ release, variants: [missing], action: 'canary' });
    await followed.look();
    expect(versionOf(followed.served)).toBe('production.1');
    expect(retired.map(queryFieldsOf)).toEqual([['one', 'three']]);
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
    await followers.follow({ store });
    await pause(200);
    expect(store.reads).toBeLessThan(4);
  });

  it.each([
    ['is invalid is built once', new InvalidSupergraph('it can not be served'), 1],
    ['could not be prepared is tried again, and more and more rarely', new Error('a text is missing'), 2],
  ])('a head that %s', async (_title, error, times) => {
    let tries = 0;
    const followed = await followers.follow({
      warm: async (next) => {
        if (!queryFieldsOf(next).includes('three')) return;
        tries += 1;
        throw error;
      },
    });
    await graph.publish([subgraph('three: Int')]);
    for (let look = 0; look < 4; look += 1) await followed.look();
    expect([tries, followers.rejected.length, versionOf(followed.served)]).toEqual([
      times,
      1,
      'production.1',
    ]);
    await graph.publish([subgraph('four: Int')]);
    await followed.look();
    expect(queryFieldsOf(followed.current())).toEqual(['one', 'four']);
  });

  it('goes on when the registry is back', async () => {
    const followed = await followers.follow();
    await rename(graph.folder, `${graph.folder}.gone`);
    await followed.look();
    await rename(`${graph.folder}.gone`, graph.folder);
    await graph.publish([subgraph('three: Int')]);
    await followed.look();
    expect(queryFieldsOf(followed.current())).toEqual(['one', 'three']);
    expect(followers.rejected).toEqual(['NO_REGISTRY']);
  });

  it('trusts the keys that a trusted record names, from the next record on', async () => {
    const next = await createRecordSigner(JSON.stringify(await generateRecordKey()));
    const followed = await followers.follow();
    await graph.append({ keys: [next.publicKey], action: 'keys' });
    await graph.append({ release: await graph.release([subgraph('three: Int')]) }, next);
    await followed.look();
    expect(queryFieldsOf(followed.current())).toEqual(['one', 'three']);
    expect(followers.rejected).toEqual([]);
  });
});
