import { z } from 'zod';
import { blobReference, type BlobReference } from './blob.ts';
import { RegistryError } from './registry-error.ts';

/** A part of a graph for other clients, as it is declared: by the tags of what it shows and hides. */
export interface DeclaredContract {
  readonly name: string;
  /** Only what has one of these tags is shown. Empty: everything. */
  readonly include: readonly string[];
  /** What has one of these tags is hidden. */
  readonly exclude: readonly string[];
}

/** A contract of a release: what it was composed by, and what came of it. */
export interface PublishedContract extends DeclaredContract {
  readonly supergraph: BlobReference;
  readonly apiSchema: BlobReference;
}

/** So many contracts a release has at most. */
const MAX_CONTRACTS = 100;
/** So many tags each of the two lists of a contract has at most. */
const MAX_TAGS = 100;

const CONTRACT_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const tags = z.array(z.string().min(1).max(256)).max(MAX_TAGS);
const declared = { name: z.string().regex(CONTRACT_NAME), include: tags, exclude: tags };

/** Reads the contracts of a release. */
export const publishedContracts: z.ZodType<readonly PublishedContract[]> = listOf(
  z.object({ ...declared, supergraph: blobReference, apiSchema: blobReference }),
);

/** Reads contracts of a request, without members that are not known. */
export const sentContracts: z.ZodType<readonly DeclaredContract[]> = listOf(z.strictObject(declared));

/** Reads contracts that are to be published. */
export const declaredContracts: z.ZodType<readonly DeclaredContract[]> = listOf(z.object(declared));

function listOf<Item extends { readonly name: string }>(item: z.ZodType<Item>): z.ZodType<readonly Item[]> {
  return z
    .array(item)
    .max(MAX_CONTRACTS)
    .refine((contracts) => new Set(contracts.map(({ name }) => name)).size === contracts.length, {
      error: 'a contract is named twice',
    });
}

/** Whether a contract may be called so. */
export function isContractName(name: string): boolean {
  return CONTRACT_NAME.test(name);
}

/** A contract with its tags in order, each once: the same for the same content. */
export function canonicalContract({ name, include, exclude }: DeclaredContract): DeclaredContract {
  return { name, include: inOrder(include), exclude: inOrder(exclude) };
}

function inOrder(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}

/** The contract of a release that has a name. @throws RegistryError NO_CONTRACT */
export function findContract(
  { contracts }: { readonly contracts: readonly PublishedContract[] },
  name: string,
): PublishedContract {
  const found = contracts.find((contract) => contract.name === name);
  if (found) return found;
  const known = contracts.map((contract) => contract.name).join(', ') || 'none';
  throw new RegistryError(
    'NO_CONTRACT',
    `The release has no contract ${JSON.stringify(name)}; it has: ${known}.`,
  );
}

/** What a release offers to serve: the whole graph, and its contracts. */
interface ServableRelease {
  readonly supergraph: BlobReference;
  readonly contracts: readonly PublishedContract[];
}

/**
 * The supergraph of a release that is served: the whole one, or that of a contract.
 *
 * @throws RegistryError NO_CONTRACT
 */
export function servedText(release: ServableRelease, contract: string | undefined): BlobReference {
  return contract === undefined ? release.supergraph : findContract(release, contract).supergraph;
}

/** Whether a release has what is served. */
export function hasServedText({ contracts }: ServableRelease, contract: string | undefined): boolean {
  return contract === undefined || contracts.some(({ name }) => name === contract);
}
