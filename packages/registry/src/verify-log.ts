import { formatLogName, type LogName } from './log-name.ts';
import { TrustedKeys } from './public-key.ts';
import { RegistryError } from './registry-error.ts';
import type { RegistryStore } from './registry-store.ts';
import { verifyRecord, type VerifiedRecord } from './verify-record.ts';

/** The head of a log that was verified up to it. */
export interface VerifiedHead extends VerifiedRecord {
  /** The keys that sign the next record. */
  readonly nextKeys: TrustedKeys;
}

/** From where a log is verified, and what is done with each record. */
export interface VerifyLogOptions {
  /** What was verified before: only what follows is read. The log must still hold it. */
  readonly from?: VerifiedHead | undefined;
  /** Called for each record that was read, the oldest first. */
  readonly onRecord?: ((record: VerifiedRecord) => void) | undefined;
  readonly signal: AbortSignal;
}

/** Records that are read at once. */
const READ_AHEAD = 16;

/**
 * Verifies a log to its head: signature, graph and environment, sequence and chain of each record. A record that names keys is the
 * last that those before may sign. Texts are checked when they are read: `readRelease`, `readTextBlob`.
 *
 * @param trust the keys of the first record; those of a later one come from the chain
 * @returns undefined where the log is empty
 * @throws RegistryError REWRITTEN where the log no longer holds `from`; BROKEN_CHAIN; those of {@link verifyRecord}; those of the store
 */
export async function verifyLog(
  store: RegistryStore,
  log: LogName,
  trust: TrustedKeys,
  { from, onRecord, signal }: VerifyLogOptions,
): Promise<VerifiedHead | undefined> {
  const last = await store.readHead(log, signal, from?.record.sequence ?? 0);
  if (from) await checkStillStored(store, log, { from, last, signal });
  let head = from;
  for await (const { sequence, jws } of readRecords(store, log, {
    first: (from?.record.sequence ?? 0) + 1,
    last,
    signal,
  })) {
    head = await verifyNext(jws, { log, sequence }, head, trust);
    onRecord?.(head);
  }
  return head;
}

/**
 * Verifies the record that follows a head.
 *
 * @throws RegistryError BROKEN_CHAIN; those of {@link verifyRecord}
 */
export async function verifyNext(
  jws: string,
  place: { readonly log: LogName; readonly sequence: number },
  before: VerifiedHead | undefined,
  trust: TrustedKeys,
): Promise<VerifiedHead> {
  const verified = await verifyAlone(jws, place, before?.nextKeys ?? trust);
  if (verified.record.previous !== before?.hash)
    throw new RegistryError(
      'BROKEN_CHAIN',
      `Record ${place.sequence} of ${formatLogName(place.log)} does not follow the record before it.`,
    );
  return verified;
}

/**
 * Verifies a record by itself: signature, graph, environment and sequence. Which record comes before it is not looked at.
 *
 * @param keys that sign it
 * @throws RegistryError those of {@link verifyRecord}
 */
export async function verifyAlone(
  jws: string,
  place: { readonly log: LogName; readonly sequence: number },
  keys: TrustedKeys,
): Promise<VerifiedHead> {
  const verified = await verifyRecord(jws, place, keys);
  const named = verified.record.keys;
  return { ...verified, nextKeys: named ? await TrustedKeys.from(named) : keys };
}

async function checkStillStored(
  store: RegistryStore,
  log: LogName,
  {
    from,
    last,
    signal,
  }: { readonly from: VerifiedHead; readonly last: number; readonly signal: AbortSignal },
): Promise<void> {
  const { sequence } = from.record;
  if (last < sequence)
    throw new RegistryError(
      'REWRITTEN',
      `${formatLogName(log)} in ${store.description} ends with record ${last}; record ${sequence} was seen before.`,
    );
  if ((await store.readRecord(log, sequence, signal)) !== from.jws)
    throw new RegistryError(
      'REWRITTEN',
      `Record ${sequence} of ${formatLogName(log)} in ${store.description} is another one than was seen before.`,
    );
}

interface Range {
  readonly first: number;
  readonly last: number;
  readonly signal: AbortSignal;
}

async function* readRecords(
  store: RegistryStore,
  log: LogName,
  { first, last, signal }: Range,
): AsyncGenerator<{ readonly sequence: number; readonly jws: string }> {
  for (let start = first; start <= last; start += READ_AHEAD) {
    const sequences = Array.from(
      { length: Math.min(READ_AHEAD, last - start + 1) },
      (_, index) => start + index,
    );
    const records = await Promise.all(sequences.map((sequence) => store.readRecord(log, sequence, signal)));
    for (const [index, jws] of records.entries()) {
      const sequence = start + index;
      if (jws === undefined)
        throw new RegistryError('BROKEN_CHAIN', `Record ${sequence} of ${formatLogName(log)} is missing.`);
      yield { sequence, jws };
    }
  }
}
