import {
  hasServedText,
  MAX_VARIANTS,
  readRelease,
  readTextBlob,
  servedText,
  type BlobReference,
  type PublishedRelease,
  type RegistryRecord,
  type RegistryStore,
  type Variant,
} from '@trellis/registry';
import { buildSupergraph } from '../supergraph/build-supergraph.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { isAt, releaseAddresses } from './release-addresses.ts';

/** A variant, and what it serves. */
export interface ServedVariant extends Variant {
  readonly supergraph: Supergraph;
}

/** What a record has a gateway serve. */
export interface ServedGenerations {
  readonly record: RegistryRecord;
  /** What of the graph is served. Absent: all of it. */
  readonly contract?: string | undefined;
  readonly main: Supergraph;
  /** In the order of the record; those that were stopped are not among them. */
  readonly variants: readonly ServedVariant[];
  /** Variants whose releases do not have the contract: their callers get the main version. */
  readonly withoutContract?: readonly string[] | undefined;
  /** Variants that are more than are served at once: their callers get the main version. */
  readonly surplus?: readonly string[] | undefined;
}

/** Where generations come from. */
export interface GenerationSource {
  /** Where texts are read, the nearest first. */
  readonly stores: readonly RegistryStore[];
  /** The contract that is served. Absent: the whole graph. */
  readonly contract?: string | undefined;
  /** Replaces the addresses of the registry, by the subgraph's name. */
  readonly subgraphUrls: Readonly<Record<string, string>>;
  /** Prepares a generation before it serves. */
  readonly warm: (next: Supergraph) => Promise<void>;
  /** Ends what preparing one has begun: it will not serve. */
  readonly retire: (unused: Supergraph) => void;
}

/**
 * Makes the generations of a record, and prepares them. One that serves already, of the same release at the same addresses, is used
 * again: a canary that becomes the main version begins with its plans. A variant without the contract is left out: a preview of
 * another team is no reason to serve an older main version, nor are more variants than have room.
 *
 * @param variants of the record, those that are to serve
 * @param before what serves now
 * @throws RegistryError, InvalidSupergraph; nothing has changed then
 */
export async function openGenerations(
  { record, variants }: Pick<ServedGenerations, 'record'> & { readonly variants: readonly Variant[] },
  before: ServedGenerations | undefined,
  source: GenerationSource,
  signal: AbortSignal,
): Promise<ServedGenerations> {
  const built: Supergraph[] = [];
  try {
    return await buildGenerations({ record, variants }, before, source, built, signal);
  } catch (error) {
    for (const one of built) source.retire(one);
    throw error;
  }
}

/** @param built to which each is added that was prepared */
async function buildGenerations(
  { record, variants }: Parameters<typeof openGenerations>[0],
  before: ServedGenerations | undefined,
  source: GenerationSource,
  built: Supergraph[],
  signal: AbortSignal,
): Promise<ServedGenerations> {
  const known = before ? [...generationsOf(before)] : [];
  const mainRelease = await readReleaseFirst(record.release, source, signal);
  const { contract } = source;
  const open = async (release: PublishedRelease): Promise<Supergraph> => {
    const text = servedText(release, contract);
    const sdl = await readFirst(source.stores, (store) => readTextBlob(store, text, signal));
    const addresses = releaseAddresses(release, mainRelease, record, source.subgraphUrls);
    const same = [...known, ...built].find((one) => one.sdl === sdl && isAt(one, addresses));
    if (same) return same;
    const supergraph = buildSupergraph(sdl, addresses);
    await source.warm(supergraph);
    built.push(supergraph);
    return supergraph;
  };
  const main = await open(mainRelease);
  const served: ServedVariant[] = [];
  const withoutContract: string[] = [];
  for (const variant of variants.slice(0, MAX_VARIANTS)) {
    const release = await readReleaseFirst(variant.release, source, signal);
    if (hasServedText(release, contract)) served.push({ ...variant, supergraph: await open(release) });
    else withoutContract.push(variant.name);
  }
  const surplus = variants.slice(MAX_VARIANTS).map(({ name }) => name);
  return { record, contract, main, variants: served, withoutContract, surplus };
}

function readReleaseFirst(
  reference: BlobReference,
  { stores }: GenerationSource,
  signal: AbortSignal,
): Promise<PublishedRelease> {
  return readFirst(stores, (store) => readRelease(store, reference, signal));
}

/** @throws what the last store throws */
async function readFirst<Read>(
  [nearest, ...others]: readonly RegistryStore[],
  read: (store: RegistryStore) => Promise<Read>,
): Promise<Read> {
  if (!nearest) throw new TypeError('There is no store to read from.');
  return others.length === 0 ? read(nearest) : read(nearest).catch(() => readFirst(others, read));
}

/** As headers, logs and health have it: `production.42`; of a contract, `production.42+partners`. */
export function versionOf({ record, contract }: Pick<ServedGenerations, 'record' | 'contract'>): string {
  return `${record.environment}.${record.sequence}${contract === undefined ? '' : `+${contract}`}`;
}

/** Every generation, each once. */
export function generationsOf({ main, variants }: ServedGenerations): ReadonlySet<Supergraph> {
  return new Set([main, ...variants.map(({ supergraph }) => supergraph)]);
}
