import { composeSubgraphs } from '@trellis/composition';
import {
  appendRecord,
  createRecordSigner,
  encodeRelease,
  openRegistry,
  readRelease,
  readTextBlob,
  RegistryError,
  TrustedKeys,
  writeTextBlob,
  type NextRecord,
  type VerifiedHead,
} from '@trellis/registry';
import { log } from './published-log.ts';

/** Publishes one subgraph again and again, until it is killed. Prints the sequence of each record that was acknowledged. */
const [, , location = '', subgraph = '', actor = ''] = process.argv;
const signal = AbortSignal.timeout(600_000);
const store = openRegistry(location);
const signer = await createRecordSigner(process.env['TRELLIS_SIGNING_KEY'] ?? '');
const trust = await TrustedKeys.from([signer.publicKey]);

process.stdout.write('ready\n');
for (let version = 1; ; version += 1)
  await publish(`type Query { ${subgraph}: Int ${actor}_${process.pid}_${version}: Int }`);

async function publish(sdl: string): Promise<void> {
  try {
    const appended = await appendRecord({ store, log, trust, signer, signal }, (head) =>
      nextRecord(head, sdl),
    );
    process.stdout.write(`published ${appended.head.record.sequence} ${appended.head.record.id}\n`);
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    process.stdout.write(`failed ${error.code} ${error.message.replaceAll('\n', ' ')}\n`);
  }
}

async function nextRecord(head: VerifiedHead | undefined, sdl: string): Promise<NextRecord> {
  const base = head && (await readRelease(store, head.record.release, signal));
  const others = (base?.subgraphs ?? []).filter(({ name }) => name !== subgraph);
  const subgraphs = [
    ...others,
    {
      name: subgraph,
      schema: await writeTextBlob(store, sdl, signal),
      routing: { url: `http://${subgraph}/` },
    },
  ];
  const texts = subgraphs.map(async ({ name, schema, routing }) => ({
    name,
    routingUrl: routing.url,
    source: name,
    sdl: await readTextBlob(store, schema, signal),
  }));
  const composition = composeSubgraphs(await Promise.all(texts));
  if (composition.kind === 'failed') throw new Error('The graph does not compose.');
  const supergraph = await writeTextBlob(store, composition.supergraphSdl, signal);
  const release = { subgraphs, supergraph, apiSchema: supergraph, contracts: [], hints: [], composers: {} };
  return {
    release: await writeTextBlob(store, encodeRelease(release), signal),
    routing: [],
    variants: [],
    action: 'publish',
    actor,
    approvals: [],
  };
}
