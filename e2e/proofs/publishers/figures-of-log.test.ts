import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { composeSubgraphs } from '@trellis/composition';
import {
  appendRecord,
  createRecordSigner,
  encodeRelease,
  FolderStore,
  writeTextBlob,
  type TrustedKeys,
} from '@trellis/registry';
import { createTemporaryDirectory } from '@trellis/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createProofKey, judgeStores, type PublishedStore } from './figures-of-log.ts';
import { log } from './published-log.ts';

const directory = createTemporaryDirectory();
const store = new FolderStore(directory.path);
let trust: TrustedKeys;
let id: string;

beforeAll(async () => {
  const proofKey = await createProofKey();
  ({ trust } = proofKey);
  id = await appendOne(proofKey.key);
});
afterAll(() => directory.remove());

async function appendOne(key: string): Promise<string> {
  const signal = AbortSignal.timeout(60_000);
  const sdl = print(gql`
    type Query {
      a: Int
    }
  `);
  await store.initialize(signal);
  const composed = composeSubgraphs([{ name: 'a', routingUrl: 'http://a.test/', sdl, source: 'a' }]);
  if (composed.kind === 'failed') throw new Error('It does not compose.');
  const schema = await writeTextBlob(store, sdl, signal);
  const supergraph = await writeTextBlob(store, composed.supergraphSdl, signal);
  const subgraphs = [{ name: 'a', schema, routing: { url: 'http://a.test/' } }];
  const text = encodeRelease({
    subgraphs,
    supergraph,
    apiSchema: supergraph,
    contracts: [],
    hints: [],
    composers: {},
  });
  const release = await writeTextBlob(store, text, signal);
  const next = { release, routing: [], variants: [], action: 'publish', actor: 'a', approvals: [] } as const;
  const signer = await createRecordSigner(key);
  const { head } = await appendRecord({ store, log, trust, signer, signal }, () => Promise.resolve(next));
  return head.record.id;
}

async function judge(outcome: Partial<PublishedStore['outcome']>) {
  const tried = { kills: 1, failures: new Map(), acknowledged: new Map([[1, id]]) };
  const good = { name: 'good', store, outcome: tried };
  const one = { name: 'one', store, outcome: { ...tried, ...outcome } };
  const { passed, figures } = await judgeStores([good, one, good], trust);
  return [passed, figures['one problem 1']];
}

it('A proof of publishers passes only where each store has seen kills and acknowledged publications', async () => {
  expect(await judge({})).toEqual([true, undefined]);
  expect(await judge({ kills: 0 })).toEqual([false, 'Nothing was killed.']);
  expect(await judge({ acknowledged: new Map() })).toEqual([false, 'No publication was acknowledged.']);
  expect(await judge({ acknowledged: new Map([[1, 'other']]) })).toEqual([
    false,
    'Record 1 was acknowledged and is another one.',
  ]);
});
