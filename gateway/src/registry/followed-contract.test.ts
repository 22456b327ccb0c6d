import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gql } from 'graphql-tag';
import { readRelease, type BlobReference } from '@trellis/registry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compose } from '../testing/compose.ts';
import { GraphFollowers, queryFieldsOf } from '../testing/graph-followers.ts';
import { canaryOf, PublishedGraph } from '../testing/published-graph.ts';
import type { FollowOptions } from './follow-options.ts';
import type { FollowedRegistry } from './followed-registry.ts';
import { versionOf } from './served-generations.ts';

const subgraph = (fields: string) => ({
  name: 'numbers',
  url: 'http://numbers.test/graphql',
  typeDefs: gql`type Query { ${fields} }`,
});

let graph: PublishedGraph;
let followers: GraphFollowers;

beforeEach(async () => {
  graph = await PublishedGraph.create();
  followers = new GraphFollowers(graph, String);
});
afterEach(async () => {
  await followers.close();
  graph.close();
});

/** A release of the whole graph and, where it is given, of the contract partners. */
function release(whole: string, contract?: string): Promise<BlobReference> {
  const partners = contract === undefined ? {} : { partners: compose([subgraph(contract)]) };
  return graph.releaseOf(compose([subgraph(whole)]), [subgraph(whole)], partners);
}

const follow = (contract?: string, more: Partial<FollowOptions> = {}): Promise<FollowedRegistry> =>
  followers.follow({ contract, ...more });
const reported = (): readonly string[] => [...followers.rejected, ...followers.damaged];

describe('A gateway that follows a contract', () => {
  it('serves its supergraph, and says so in its version', async () => {
    await graph.append({ release: await release('one: Int two: Int', 'one: Int') });
    const [whole, partners] = [await follow(), await follow('partners')];
    expect([queryFieldsOf(whole.current()), queryFieldsOf(partners.current())]).toEqual([
      ['one', 'two'],
      ['one'],
    ]);
    expect([versionOf(whole.served), versionOf(partners.served), partners.current().version]).toEqual([
      'production.1',
      'production.1+partners',
      'production.1+partners',
    ]);
  });

  it('does not start on a release without it, and says which it has', async () => {
    await graph.append({ release: await release('one: Int', 'one: Int') });
    await expect(follow('mobile')).rejects.toMatchObject({
      code: 'NO_CONTRACT',
      message: 'The release has no contract "mobile"; it has: partners.',
    });
  });

  it('serves on where a new release is without it, builds nothing again, and goes on with the next that has it', async () => {
    await graph.append({ release: await release('one: Int two: Int', 'one: Int') });
    const followed = await follow('partners');
    await graph.append({ release: await release('one: Int two: Int three: Int') });
    await followed.look();
    await followed.look();
    expect(reported()).toEqual([expect.stringContaining('has no contract "partners"')]);
    expect(followed.problem()).toContain('has no contract "partners"');
    expect(versionOf(followed.served)).toBe('production.1+partners');
    await graph.append({ release: await release('one: Int two: Int three: Int', 'one: Int three: Int') });
    await followed.look();
    expect(queryFieldsOf(followed.current())).toEqual(['one', 'three']);
    expect(followed.problem()).toBeUndefined();
  });

  it('serves the last good one after a restart without the registry, whatever a gateway of the whole graph has stored in the same folder', async () => {
    await graph.append({ release: await release('one: Int two: Int', 'one: Int') });
    await (await follow('partners')).close();
    const whole = await follow();
    await graph.append({ release: await release('one: Int two: Int three: Int') });
    await whole.look();
    await rename(graph.folder, `${graph.folder}.gone`);
    const restarted = await follow('partners');
    expect([queryFieldsOf(restarted.current()), versionOf(restarted.served)]).toEqual([
      ['one'],
      'production.1+partners',
    ]);
    expect(versionOf((await follow()).served)).toBe('production.2');
  });

  it('rejects a text of the contract that is not the one of its digest', async () => {
    await graph.append({ release: await release('one: Int two: Int', 'one: Int') });
    const followed = await follow('partners');
    const next = await release('one: Int two: Int', 'one: Int two: Int @deprecated');
    const { contracts } = await readRelease(graph.store, next, AbortSignal.timeout(90_000));
    await writeFile(join(graph.folder, 'blobs/sha256', contracts[0]?.supergraph.digest ?? ''), 'altered');
    await graph.append({ release: next });
    await followed.look();
    expect(reported()).toEqual([expect.stringContaining('is not what its name says')]);
    expect(versionOf(followed.served)).toBe('production.1+partners');
  });

  it('serves variants by their own contract; one without it gets nothing, and stops no release', async () => {
    const having = canaryOf(await release('one: Int two: Int', 'one: Int two: Int'), 5);
    const without = { ...canaryOf(await release('one: Int four: Int'), 5), name: 'preview' };
    await graph.append({ release: await release('one: Int', 'one: Int') });
    await graph.append({ variants: [having, without], action: 'canary' });
    const { served } = await follow('partners');
    expect(served.variants.map(({ name, supergraph }) => [name, queryFieldsOf(supergraph)])).toEqual([
      ['canary', ['one', 'two']],
    ]);
    expect(served.variants[0]?.supergraph.version).toBe('production.2+partners/canary');
    expect(served.withoutContract).toEqual(['preview']);
    expect((await follow()).served.variants).toHaveLength(2);
  });
});
