import {
  appendRecord,
  createRecordSigner,
  type Appended,
  type LogName,
  type NextRecord,
  type RecordSigner,
  type RegistryRecord,
  type RegistryStore,
  type TrustedKeys,
  type Variant,
} from '@trellis/registry';

/** Where an abort is recorded, and by whom. */
export interface AbortRecording {
  readonly store: RegistryStore;
  readonly log: LogName;
  readonly trust: TrustedKeys;
  /** A private JWK that may sign records. */
  readonly signingKey: string;
  readonly signal: AbortSignal;
}

/**
 * Appends a record without a canary that has stopped itself. Gateways that stop it at the same time append one record together.
 *
 * @throws RegistryError
 */
export async function recordAbort(
  variant: Pick<Variant, 'name' | 'release'>,
  { signingKey, ...place }: AbortRecording,
): Promise<Appended> {
  const signer: RecordSigner = await createRecordSigner(signingKey);
  return appendRecord({ ...place, signer }, async (head) =>
    head ? withoutVariant(head.record, variant) : 'unchanged',
  );
}

function withoutVariant(
  { release, routing, variants }: RegistryRecord,
  stopped: Pick<Variant, 'name' | 'release'>,
): NextRecord | 'unchanged' {
  const left = variants.filter(
    ({ name, release: { digest } }) => name !== stopped.name || digest !== stopped.release.digest,
  );
  if (left.length === variants.length) return 'unchanged';
  return { release, routing, variants: left, action: 'abort', actor: 'gateway', approvals: [] };
}
