import { formatLogName, type RegistryRecord, type VerifiedRecord } from '@trellis/registry';

/** A record in one line: `content@production 42 publish 3f2a… by ada at 2026-11-23T10:00:00Z`. */
export function describeRecord(
  { record }: Pick<VerifiedRecord, 'record'>,
  contracts: readonly string[] = [],
): string {
  const { sequence, action, actor, at, source, variants } = record;
  const from = source ? ` of ${source.environment} ${source.sequence}` : '';
  const others = `${listOf(
    'variants',
    variants.map(({ name }) => name),
  )}${listOf('contracts', contracts)}`;
  return `${formatLogName(record)} ${sequence}: ${action}${from}, release ${shortDigest(record)}, by ${actor}, ${at}${others}`;
}

function listOf(what: string, names: readonly string[]): string {
  return names.length === 0 ? '' : `, ${what}: ${names.join(', ')}`;
}

/** The beginning of the digest of its release. */
export function shortDigest({ release }: Pick<RegistryRecord, 'release'>): string {
  return release.digest.slice(0, 12);
}

/** A record for programs. */
export function recordDocument(
  { record, hash, keyId }: VerifiedRecord,
  contracts?: readonly string[],
): Readonly<Record<string, unknown>> {
  return { ...record, hash, keyId, ...(contracts && { contracts }) };
}
