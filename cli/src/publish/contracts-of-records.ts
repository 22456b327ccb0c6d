import { readRelease, RegistryError, type VerifiedRecord } from '@trellis/registry';
import type { RegistryAccess } from '../registry/registry-access.ts';

/** Names of contracts, by record. Undefined: the release can't be read. */
export type ContractNames = (record: VerifiedRecord) => readonly string[] | undefined;

/** Reads which contracts records serve, each release once. A release that can't be read is no reason to show no record. */
export async function contractsOfRecords(
  { store }: Pick<RegistryAccess, 'store'>,
  records: readonly VerifiedRecord[],
  signal: AbortSignal,
): Promise<ContractNames> {
  const references = new Map(records.map(({ record: { release } }) => [release.digest, release]));
  const names = new Map<string, readonly string[]>();
  for (const reference of references.values()) {
    const release = await readRelease(store, reference, signal).catch(withoutRelease);
    if (release)
      names.set(
        reference.digest,
        release.contracts.map(({ name }) => name),
      );
  }
  return ({ record }) => names.get(record.release.digest);
}

const UNREADABLE: ReadonlySet<string> = new Set([
  'BLOB_MISSING',
  'BLOB_ALTERED',
  'INVALID_RECORD',
  'NEWER_FORMAT',
]);

function withoutRelease(error: unknown): undefined {
  if (!(error instanceof RegistryError && UNREADABLE.has(error.code))) throw error;
}
