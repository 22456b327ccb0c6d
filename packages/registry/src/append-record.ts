import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { formatLogName, type LogName } from './log-name.ts';
import type { TrustedKeys } from './public-key.ts';
import type { RecordSigner } from './record-signer.ts';
import { RegistryError } from './registry-error.ts';
import type { RegistryRecord } from './registry-record.ts';
import { MAX_SEQUENCE, type RegistryStore } from './registry-store.ts';
import { verifyLog, verifyNext, type VerifiedHead } from './verify-log.ts';

/** What a publisher decides; the rest of a record follows from the log. */
export type NextRecord = Omit<
  RegistryRecord,
  'graph' | 'environment' | 'sequence' | 'previous' | 'id' | 'at'
>;

/** What came of it: a new head, or the one that says the same already. */
export interface Appended {
  readonly outcome: 'appended' | 'unchanged';
  readonly head: VerifiedHead;
  /** How many times another publisher was faster. */
  readonly losses: number;
}

/** Who appends where, and how often. */
export interface AppendOptions {
  readonly store: RegistryStore;
  readonly log: LogName;
  readonly trust: TrustedKeys;
  readonly signer: RecordSigner;
  /** Sign in the place of `signer`, in order, where the log trusts that no longer or not yet. @default none */
  readonly otherSigners?: readonly RecordSigner[] | undefined;
  readonly signal: AbortSignal;
  /** How often a loser tries again. @default 10 */
  readonly retries?: number;
  /** What was verified before. */
  readonly from?: VerifiedHead | undefined;
  /** @default the clock of the machine */
  readonly now?: () => Date;
  /** Milliseconds before attempt n, from 1. @default up to 50 ms more with each, by chance */
  readonly jitterMs?: (attempt: number) => number;
}

/**
 * Appends a record: reads the head, lets the publisher decide over it, and creates the next sequence. Who loses to another reads the
 * new head and decides again. The texts that the decision names are written before it returns: a kill leaves texts that no record
 * names, and nothing else.
 *
 * @param decide checks over the head, and says the next record; 'unchanged' where the head says it already
 * @throws RegistryError CONFLICT after all retries; UNTRUSTED_KEY where no signer's key is one of the log; those of verifyLog
 */
export async function appendRecord(
  options: AppendOptions,
  decide: (head: VerifiedHead | undefined) => Promise<NextRecord | 'unchanged'>,
): Promise<Appended> {
  const {
    store,
    log,
    trust,
    signal,
    retries = 10,
    jitterMs = (attempt) => Math.random() * 50 * attempt,
  } = options;
  let head = options.from;
  for (let losses = 0; losses <= retries; losses += 1) {
    if (losses > 0) await wait(jitterMs(losses), undefined, { signal });
    head = await verifyLog(store, log, trust, { from: head, signal });
    const signer = signerFor(options, head);
    const next = await decide(head);
    if (next === 'unchanged') {
      if (head) return { outcome: 'unchanged', head, losses };
      throw new RegistryError('NOT_FOUND', `${formatLogName(log)} is empty.`);
    }
    const created = await createNext({ ...options, signer }, head, next);
    if (created) return { outcome: 'appended', head: created, losses };
  }
  throw new RegistryError(
    'CONFLICT',
    `Other publishers of ${formatLogName(log)} were faster ${retries + 1} times. Try again later.`,
  );
}

/** Each log replaces its keys by itself: the first signer that this one trusts. */
function signerFor(
  { log, trust, signer, otherSigners = [] }: AppendOptions,
  head: VerifiedHead | undefined,
): RecordSigner {
  const trusted = head?.nextKeys ?? trust;
  const trustedSigner = [signer, ...otherSigners].find(({ keyId }) => trusted.find(keyId));
  if (trustedSigner) return trustedSigner;
  throw new RegistryError(
    'UNTRUSTED_KEY',
    `The signing key ${signer.keyId} may not sign ${formatLogName(log)}. Trusted: ${trusted.keyIds.join(', ')}.`,
  );
}

/** @returns undefined where another publisher was faster */
async function createNext(
  { store, log, trust, signer, signal, now = () => new Date() }: AppendOptions,
  head: VerifiedHead | undefined,
  next: NextRecord,
): Promise<VerifiedHead | undefined> {
  const sequence = (head?.record.sequence ?? 0) + 1;
  if (sequence > MAX_SEQUENCE) throw new RegistryError('TOO_LARGE', `${formatLogName(log)} is full.`);
  const { graph, environment } = log;
  const place = { graph, environment, sequence, previous: head?.hash };
  const jws = await signer.sign({ ...place, ...next, id: randomUUID(), at: now().toISOString() });
  const verified = await verifyNext(jws, { log, sequence }, head, trust);
  signal.throwIfAborted();
  return (await store.createRecord(log, sequence, jws, signal)) ? verified : undefined;
}
