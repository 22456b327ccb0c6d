import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  appendRecord,
  createRecordSigner,
  encodeRelease,
  FolderStore,
  generateRecordKey,
  TrustedKeys,
  verifyLog,
  writeTextBlob,
  type BlobReference,
  type LogName,
  type NextRecord,
  type PublishedContract,
  type RecordSigner,
  type SubgraphRouting,
  type Variant,
  type VerifiedHead,
} from '@trellis/registry';
import { createTemporaryDirectory } from '@trellis/testkit';
import { compose, type ComposedSubgraph } from './compose.ts';

/** The log that tests publish to. */
const LOG: LogName = { graph: 'library', environment: 'production' };
const SIGNAL_MS = 100_000;

/** What a test decides of a record. */
type Published = {
  readonly [Key in 'variants' | 'action' | 'routing' | 'release' | 'keys' | 'verdict']?:
    NextRecord[Key] | undefined;
};

/** A registry in a folder, and the key that signs its records. */
export class PublishedGraph {
  readonly log: LogName = LOG;
  readonly folder: string;
  readonly store: FolderStore;
  readonly signer: RecordSigner;
  readonly trust: TrustedKeys;
  /** A private JWK. */
  readonly signingKey: string;
  readonly #directory: ReturnType<typeof createTemporaryDirectory>;

  private constructor(
    directory: ReturnType<typeof createTemporaryDirectory>,
    key: Pick<PublishedGraph, 'signer' | 'trust' | 'signingKey'>,
  ) {
    this.#directory = directory;
    this.folder = join(directory.path, 'registry');
    this.store = new FolderStore(this.folder);
    this.signer = key.signer;
    this.trust = key.trust;
    this.signingKey = key.signingKey;
    writeFileSync(this.trustFile, JSON.stringify({ keys: key.trust.keys }));
  }

  /** Makes an empty registry and a key for it. */
  static async create(): Promise<PublishedGraph> {
    const signingKey = JSON.stringify(await generateRecordKey());
    const signer = await createRecordSigner(signingKey);
    const trust = await TrustedKeys.from([signer.publicKey]);
    const graph = new PublishedGraph(createTemporaryDirectory(), { signer, trust, signingKey });
    await graph.store.initialize(deadline());
    return graph;
  }

  /** Where the public key is. */
  get trustFile(): string {
    return join(this.#directory.path, 'trust.json');
  }

  /** A folder for what gateways store. */
  get cacheDirectory(): string {
    return join(this.#directory.path, 'cache');
  }

  /** Writes the texts of a release. */
  async release(subgraphs: readonly (ComposedSubgraph & SubgraphRouting)[]): Promise<BlobReference> {
    return this.releaseOf(compose(subgraphs), subgraphs);
  }

  /**
   * The same, of a text that need not be a supergraph.
   *
   * @param contracts their supergraphs, by name
   */
  async releaseOf(
    text: string,
    subgraphs: readonly (SubgraphRouting & { readonly name: string })[],
    contracts: Readonly<Record<string, string>> = {},
  ): Promise<BlobReference> {
    const supergraph = await writeTextBlob(this.store, text, deadline());
    const published: PublishedContract[] = [];
    for (const [name, sdl] of Object.entries(contracts)) {
      const reference = await writeTextBlob(this.store, sdl, deadline());
      published.push({ name, include: [], exclude: [], supergraph: reference, apiSchema: reference });
    }
    const release = encodeRelease({
      subgraphs: subgraphs.map(({ name, url, subscriptionUrl, subscriptionProtocol }) => ({
        name,
        schema: supergraph,
        routing: { url, subscriptionUrl, subscriptionProtocol },
      })),
      supergraph,
      apiSchema: supergraph,
      contracts: published,
      hints: [],
      composers: {},
    });
    return writeTextBlob(this.store, release, deadline());
  }

  /** Appends a record. What is not given is as the head has it. */
  async append(decided: Published, signer: RecordSigner = this.signer): Promise<VerifiedHead> {
    const { store, log, trust } = this;
    const { head } = await appendRecord({ store, log, trust, signer, signal: deadline() }, async (before) => {
      const { release, routing = [], variants = [] } = { ...before?.record, ...decided };
      if (!release) throw new Error('the first record needs a release');
      const { action = 'publish', keys, verdict } = decided;
      return { release, routing, variants, action, keys, verdict, actor: 'ada', approvals: [] };
    });
    return head;
  }

  /** The newest record; absent where the log is empty. */
  head(): Promise<VerifiedHead | undefined> {
    return verifyLog(this.store, this.log, this.trust, { signal: deadline() });
  }

  /** Publishes subgraphs as the main version. */
  async publish(subgraphs: Parameters<PublishedGraph['release']>[0]): Promise<VerifiedHead> {
    return this.append({ release: await this.release(subgraphs) });
  }

  /**
   * The text of a gateway.yaml.
   *
   * @param others beside the registry
   */
  settings(
    more: Readonly<Record<string, unknown>> = {},
    others: Readonly<Record<string, unknown>> = {},
  ): string {
    const registry = {
      source: this.folder,
      graph: `${LOG.graph}@${LOG.environment}`,
      trust: this.trustFile,
      directory: this.cacheDirectory,
      pollMs: 100,
      ...more,
    };
    return JSON.stringify({ registry, ...others });
  }

  close(): void {
    this.#directory.remove();
  }
}

/** A canary. */
export function canaryOf(release: BlobReference, percent: number): Variant {
  return { name: 'canary', release, rule: { kind: 'percent', percent }, abortsItself: true };
}

function deadline(): AbortSignal {
  return AbortSignal.timeout(SIGNAL_MS);
}
