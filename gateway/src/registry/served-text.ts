import { findContract, type BlobReference, type PublishedRelease } from '@trellis/registry';

/**
 * The supergraph of a release that is served here: the whole one, or that of a contract.
 *
 * @throws RegistryError NO_CONTRACT
 */
export function servedText(release: PublishedRelease, contract: string | undefined): BlobReference {
  return contract === undefined ? release.supergraph : findContract(release, contract).supergraph;
}

/** Whether a release has what is served here. */
export function hasServedText(release: PublishedRelease, contract: string | undefined): boolean {
  return contract === undefined || release.contracts.some(({ name }) => name === contract);
}
