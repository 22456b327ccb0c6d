import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { appendRecord } from '@trellis/registry';
import { gql } from 'graphql-tag';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { compose } from '../compose.ts';
import { canaryOf, PublishedGraph } from '../published-graph.ts';
import { startSubgraph, type SubgraphServer } from '../subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';

/** A gateway that follows a registry, and others that it may follow. */
export interface RegistryWorld {
  readonly gateway: TestGateway;
  /** Has the environments production and staging, and a contract. */
  readonly first: PublishedGraph;
  /** The same graph elsewhere, with a field more. */
  readonly second: PublishedGraph;
  /** Has a preview, and a canary that may stop itself. */
  readonly varied: PublishedGraph;
  /** Keys of all of them. */
  readonly trust: string;
  /** Keys of preview tokens: those by which {@link token} is signed, and others. */
  readonly previewKeys: { readonly right: string; readonly wrong: string };
  readonly token: string;
  readonly main: SubgraphServer;
  close(): Promise<void>;
}

const SIGNAL_MS = 100_000;

function startVersion(more: string): Promise<SubgraphServer> {
  return startSubgraph({
    name: 'numbers',
    typeDefs: gql`type Query { one: Int ${more} }`,
    resolvers: { Query: { one: () => 1 } },
  });
}

/** Starts it. */
export async function startRegistryWorld(): Promise<RegistryWorld> {
  const [main, next, last] = await Promise.all(['', 'two: Int', 'three: Int'].map(startVersion));
  if (!main || !next || !last) throw new Error('There are three.');
  const [first, second, varied] = await Promise.all([1, 2, 3].map(() => PublishedGraph.create()));
  if (!first || !second || !varied) throw new Error('There are three.');
  const trust = join(first.folder, '../all-keys.json');
  const keys = [first, second, varied].flatMap((one) => one.trust.keys);
  writeFileSync(trust, JSON.stringify({ keys }));
  const text = compose([main]);
  await first.append({ release: await first.releaseOf(text, [main], { partners: text }) });
  await publishStaging(first, main);
  await second.publish([next]);
  await varied.publish([main]);
  const release = await varied.release([next]);
  const canary = canaryOf(await varied.release([last]), 0.001); // it serves nearly no one
  const rule = { kind: 'header', header: 'x-preview', value: 'never', clients: [] } as const;
  const preview = { name: 'preview', release, rule, abortsItself: false };
  await varied.append({
    variants: [canary, preview],
    action: 'canary',
  });
  const gateway = await startTestGateway({
    subgraphs: [main],
    settings: first.settings({ trust, directory: undefined, responseHeader: true }),
    environment: { SUPERGRAPH: 'registry' },
  });
  return {
    gateway,
    first,
    second,
    varied,
    trust,
    ...(await writePreviewKeys(first.folder)),
    main,
    async close() {
      await gateway.close();
      await Promise.all([main, next, last].map((one) => one.close()));
      for (const one of [first, second, varied]) one.close();
    },
  };
}

/** The same release in another environment of the same registry. */
async function publishStaging(graph: PublishedGraph, main: SubgraphServer): Promise<void> {
  const { store, signer, trust, log } = graph;
  const reference = await graph.release([main]);
  const options = { store, trust, signer, log: { ...log, environment: 'staging' } };
  const written = { release: reference, routing: [], variants: [], actor: 'ada', approvals: [] };
  await appendRecord({ ...options, signal: AbortSignal.timeout(SIGNAL_MS) }, async () => ({
    ...written,
    action: 'publish',
  }));
}

async function writePreviewKeys(folder: string): Promise<Pick<RegistryWorld, 'previewKeys' | 'token'>> {
  const previewKeys = { right: join(folder, '../right.json'), wrong: join(folder, '../wrong.json') };
  const [right, wrong] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')]);
  writeFileSync(previewKeys.right, JSON.stringify({ keys: [await exportJWK(right.publicKey)] }));
  writeFileSync(previewKeys.wrong, JSON.stringify({ keys: [await exportJWK(wrong.publicKey)] }));
  const token = await new SignJWT({ variant: 'preview' })
    .setProtectedHeader({ alg: 'ES256', typ: 'trellis-preview+jwt' })
    .setAudience('library@production')
    .setExpirationTime('1 hour')
    .sign(right.privateKey);
  return { previewKeys, token };
}
