import { appendRecord, type Appended, type AppendOptions, type NextRecord } from './append-record.ts';
import type { RegistryRecord } from './registry-record.ts';
import type { Variant } from './variant.ts';

/** A canary that has stopped itself: the name of a variant, and the release that was worse. */
export interface StoppedCanary {
  readonly name: Variant['name'];
  readonly release: Pick<Variant['release'], 'digest'>;
}

/**
 * Appends a record without a canary that has stopped itself. Gateways that stop it at the same time append one record together. Other
 * variants than canaries are left alone: no gateway judges them.
 *
 * @throws RegistryError those of {@link appendRecord}
 */
export async function appendAbort(
  options: AppendOptions & { readonly actor: string },
  stopped: StoppedCanary,
): Promise<Appended> {
  return appendRecord(options, async (head) =>
    head ? withoutCanary(head.record, stopped, options.actor) : 'unchanged',
  );
}

function withoutCanary(
  { release, routing, variants }: RegistryRecord,
  stopped: StoppedCanary,
  actor: string,
): NextRecord | 'unchanged' {
  const left = variants.filter(
    ({ name, release: { digest }, abortsItself }) =>
      !abortsItself || name !== stopped.name || digest !== stopped.release.digest,
  );
  if (left.length === variants.length) return 'unchanged';
  return { release, routing, variants: left, action: 'abort', actor, approvals: [] };
}
