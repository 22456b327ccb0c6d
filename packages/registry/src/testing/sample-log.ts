import { appendRecord, type NextRecord } from '../append-record.ts';
import { TrustedKeys } from '../public-key.ts';
import { encodeRelease } from '../published-release.ts';
import {
  createRecordSigner,
  generateRecordKey,
  type PrivateKey,
  type RecordSigner,
} from '../record-signer.ts';
import type { RegistryStore } from '../registry-store.ts';
import { writeTextBlob } from '../text-blobs.ts';
import type { VerifiedHead } from '../verify-log.ts';

/** The log that tests publish to. */
export const log = { graph: 'content', environment: 'production' } as const;

/** A key of a log. */
export interface TestKey {
  readonly jwk: PrivateKey;
  readonly signer: RecordSigner;
  readonly trust: TrustedKeys;
}

/** A new key, and the trust in it. */
export async function createKey(): Promise<TestKey> {
  const jwk = await generateRecordKey();
  const signer = await createRecordSigner(JSON.stringify(jwk));
  return { jwk, signer, trust: await TrustedKeys.from([signer.publicKey]) };
}

/** Writes the texts of a small release, and the decision to publish it. */
export async function releaseOf(
  store: RegistryStore,
  name: string,
  signal: AbortSignal,
  more: Partial<NextRecord> = {},
): Promise<NextRecord> {
  const schema = await writeTextBlob(store, `type Query { ${name}: Int }`, signal);
  const supergraph = await writeTextBlob(store, `schema of ${name}`, signal);
  const subgraphs = [{ name, schema, routing: { url: `http://${name}/graphql` } }];
  const release = { subgraphs, supergraph, apiSchema: supergraph, contracts: [], hints: [], composers: {} };
  return {
    release: await writeTextBlob(store, encodeRelease(release), signal),
    routing: [],
    variants: [],
    action: 'publish',
    actor: 'ada',
    approvals: [],
    ...more,
  };
}

/** Publishes releases by name, one after the other. */
export async function publishAll(
  store: RegistryStore,
  names: readonly string[],
  { signer, trust, signal }: Omit<TestKey, 'jwk'> & { readonly signal: AbortSignal },
): Promise<VerifiedHead> {
  let head: VerifiedHead | undefined;
  for (const name of names) {
    const next = await releaseOf(store, name, signal);
    head = (await appendRecord({ store, log, trust, signer, signal }, async () => next)).head;
  }
  if (!head) throw new Error('nothing to publish');
  return head;
}
