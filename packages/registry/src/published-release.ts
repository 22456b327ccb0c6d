import { z } from 'zod';
import { blobReference, type BlobReference } from './blob.ts';
import { checkFormat, parseDocument } from './format-version.ts';
import { canonicalContract, publishedContracts, type PublishedContract } from './published-contract.ts';
import { RegistryError } from './registry-error.ts';
import type { RegistryStore } from './registry-store.ts';
import { readTextBlob } from './text-blobs.ts';

/** Where a gateway sends the requests of a subgraph. */
export interface SubgraphRouting {
  readonly url: string;
  readonly subscriptionUrl?: string | undefined;
  /** As gateway.yaml spells it: `graphql-ws`, `sse`, `callback` … */
  readonly subscriptionProtocol?: string | undefined;
}

/** A subgraph of a release. */
export interface PublishedSubgraph {
  readonly name: string;
  /** Its own schema, as its team wrote it. */
  readonly schema: BlobReference;
  /** As its team calls it: `1.4.2`. */
  readonly version?: string | undefined;
  readonly commit?: string | undefined;
  readonly routing: SubgraphRouting;
}

/** What was composed, with all that it was composed of. It names no environment: `promote` moves what was tested. */
export interface PublishedRelease {
  /** By name. */
  readonly subgraphs: readonly PublishedSubgraph[];
  readonly supergraph: BlobReference;
  readonly apiSchema: BlobReference;
  readonly contracts: readonly PublishedContract[];
  /** What the composer remarked. */
  readonly hints: readonly string[];
  /** Version by composer: `{ "@apollo/composition": "2.14.4" }`. */
  readonly composers: Readonly<Record<string, string>>;
}

const NAME = 'trellis-registry-release';
const FORMAT = 2;
/** What a release without contracts is written in: readers that know no contracts read it, and its text is as it was before them. */
const FORMAT_WITHOUT_CONTRACTS = 1;
/** The oldest version of Trellis that reads what is written here. */
const NEEDS = '0.1.0';

const shortText = z.string().max(256);
const url = z.string().max(2048);

const SUBGRAPH_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const subgraphName = z.string().regex(SUBGRAPH_NAME);

/** Whether a subgraph may be called so: a letter, then at most 63 letters, digits, _ or -. */
export function isSubgraphName(name: string): boolean {
  return SUBGRAPH_NAME.test(name);
}

const releaseSchema: z.ZodType<PublishedRelease> = z.object({
  subgraphs: z
    .array(
      z.object({
        name: subgraphName,
        schema: blobReference,
        version: shortText.optional(),
        commit: shortText.optional(),
        routing: z.object({
          url,
          subscriptionUrl: url.optional(),
          subscriptionProtocol: shortText.optional(),
        }),
      }),
    )
    .max(1000),
  supergraph: blobReference,
  apiSchema: blobReference,
  contracts: publishedContracts,
  hints: z.array(z.string().max(4096)).max(1000),
  composers: z.record(z.string().max(128), shortText),
});

/**
 * The JSON of a release: the same text for the same content, whatever the order of its subgraphs. It can be read again: a record with a
 * release that can not be read would be the last of its log.
 *
 * @throws RegistryError INVALID_NAME where a name, an address or a version is not one that a release may have
 */
export function encodeRelease(release: PublishedRelease): string {
  const { subgraphs, supergraph, apiSchema, contracts, hints, composers } = release;
  const document = {
    format: `${NAME}/${contracts.length > 0 ? FORMAT : FORMAT_WITHOUT_CONTRACTS}`,
    needs: NEEDS,
    subgraphs: byName(subgraphs).map(({ name, schema, version, commit, routing }) => ({
      name,
      schema: encodeReference(schema),
      version,
      commit,
      routing: {
        url: routing.url,
        subscriptionUrl: routing.subscriptionUrl,
        subscriptionProtocol: routing.subscriptionProtocol,
      },
    })),
    supergraph: encodeReference(supergraph),
    apiSchema: encodeReference(apiSchema),
    contracts: byName(contracts).map(encodeContract),
    hints,
    composers: Object.fromEntries(
      Object.entries(composers).toSorted(([left], [right]) => (left < right ? -1 : 1)),
    ),
  };
  const text = `${JSON.stringify(document)}\n`;
  const { error } = releaseSchema.safeParse(JSON.parse(text));
  if (error)
    throw new RegistryError('INVALID_NAME', `The release can not be published: ${inOneLine(error)}.`);
  return text;
}

/**
 * Reads the JSON of a release.
 *
 * @throws RegistryError NEWER_FORMAT, INVALID_RECORD
 */
export function decodeRelease(text: string): PublishedRelease {
  const document = parseDocument(text, NAME);
  checkFormat(document, NAME, FORMAT);
  const parsed = releaseSchema.safeParse(document);
  if (parsed.success) return parsed.data;
  throw new RegistryError('INVALID_RECORD', `The release is invalid: ${inOneLine(parsed.error)}.`);
}

/** `subgraphs.0.version: Too big …`, of all that is wrong. */
function inOneLine({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`).join('; ');
}

/**
 * Reads a release, and holds it against its reference.
 *
 * @throws RegistryError BLOB_MISSING, BLOB_ALTERED, NEWER_FORMAT, INVALID_RECORD
 */
export async function readRelease(
  store: RegistryStore,
  reference: BlobReference,
  signal: AbortSignal,
): Promise<PublishedRelease> {
  return decodeRelease(await readTextBlob(store, reference, signal));
}

/** Every text that a release names, by digest; the same text once. */
export function blobsOfRelease(release: PublishedRelease): readonly BlobReference[] {
  const { subgraphs, supergraph, apiSchema, contracts } = release;
  const all = [
    supergraph,
    apiSchema,
    ...subgraphs.map(({ schema }) => schema),
    ...contracts.flatMap((contract) => [contract.supergraph, contract.apiSchema]),
  ];
  return [...new Map(all.map((reference) => [reference.digest, reference])).values()];
}

function encodeContract(contract: PublishedContract): PublishedContract {
  return {
    ...canonicalContract(contract),
    supergraph: encodeReference(contract.supergraph),
    apiSchema: encodeReference(contract.apiSchema),
  };
}

function encodeReference({ digest, bytes }: BlobReference): BlobReference {
  return { digest, bytes };
}

function byName<Item extends { readonly name: string }>(items: readonly Item[]): readonly Item[] {
  return items.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}
