import {
  appendAbort,
  createRecordSigners,
  HttpStore,
  RegistryError,
  type LogName,
  type RegistryStore,
  type StoppedCanary,
  type TrustedKeys,
} from '@trellis/registry';
import { z } from 'zod';

/** Where an abort is recorded, and by whom. */
export interface AbortRecording {
  readonly store: RegistryStore;
  readonly log: LogName;
  readonly trust: TrustedKeys;
  /** Private JWKs that may sign records. Undefined: only a server over HTTP, which has its own, records the abort. */
  readonly signingKey: string | undefined;
  readonly signal: AbortSignal;
}

/** What came of it. */
export interface RecordedAbort {
  readonly outcome: 'appended' | 'unchanged';
  /** Of the newest record. */
  readonly sequence: number;
}

/**
 * Records that a canary has stopped itself: by a record of its own, or over HTTP by asking the server for one, which takes the right
 * `graph:abort:<environment>`. Gateways that stop it at the same time cause one record together.
 *
 * @returns undefined where neither is possible: there is no server, and no key
 * @throws RegistryError
 */
export async function recordAbort(
  { name, release: { digest } }: StoppedCanary,
  { store, signingKey, ...place }: AbortRecording,
): Promise<RecordedAbort | undefined> {
  const stopped = { name, release: { digest } };
  if (store instanceof HttpStore) return submitAbort(store, stopped, place);
  if (signingKey === undefined) return undefined;
  const signers = await createRecordSigners(signingKey);
  const { outcome, head } = await appendAbort({ store, ...place, ...signers, actor: 'gateway' }, stopped);
  return { outcome, sequence: head.record.sequence };
}

const sentAbort = z.object({
  document: z.object({ outcome: z.string(), record: z.object({ sequence: z.int() }) }),
});

async function submitAbort(
  store: HttpStore,
  stopped: StoppedCanary,
  { log, signal }: Pick<AbortRecording, 'log' | 'signal'>,
): Promise<RecordedAbort> {
  const sent = sentAbort.safeParse(await store.submit(log, 'aborts', stopped, signal));
  if (!sent.success)
    throw new RegistryError(
      'STORE_UNAVAILABLE',
      `${store.description} takes no aborts of canaries: update the server.`,
    );
  const { outcome, record } = sent.data.document;
  return { outcome: outcome === 'unchanged' ? 'unchanged' : 'appended', sequence: record.sequence };
}
