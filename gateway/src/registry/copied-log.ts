import {
  decodeRecord,
  digestOf,
  formatLogName,
  RegistryError,
  verifyAlone,
  type FolderStore,
  type LogName,
  type RegistryRecord,
  type RegistryStore,
  type TrustedKeys,
  type VerifiedHead,
  type VerifiedRecord,
} from '@trellis/registry';

/** Records of a copy beside those that name keys: more than the history of a gateway shows. */
const STORED_RECORDS = 32;

interface StoredRecord {
  readonly sequence: number;
  readonly jws: string;
}

/** What a copy has. */
export interface VerifiedCopy {
  /** Those that verify, the oldest first. */
  readonly records: readonly VerifiedHead[];
  /** What is wrong with the newest that does not. */
  readonly damage: RegistryError | undefined;
  /** Whether that is newer than all that verify. */
  readonly isHeadBad: boolean;
}

/**
 * The end of a log, on the disk of a gateway: its head, the records before it for the history, and each that names keys. From the keys
 * that the gateway was given those lead to the keys that sign the head, and the head alone shows whether a registry is the
 * same as before and goes on from there: so what lies between may be missing.
 *
 * A kill leaves a copy that verifies. Records that name keys are written before the head, what only the history needs after it,
 * and deleted is what nothing needs. The newest record of such a copy may be one that names keys and that was never served.
 */
export class CopiedLog {
  readonly #store: FolderStore;
  readonly #log: LogName;

  constructor(store: FolderStore, log: LogName) {
    this.#store = store;
    this.#log = log;
  }

  /**
   * Verifies what is stored: signature, graph, environment and sequence of each record, and the chain where the record after it is
   * stored. Deletes what is bad, unless that is the head.
   *
   * @param trust the keys of the first record
   * @throws RegistryError those of the store
   */
  async verify(trust: TrustedKeys, signal: AbortSignal): Promise<VerifiedCopy> {
    const good: VerifiedHead[] = [];
    const bad: number[] = [];
    let damage: RegistryError | undefined;
    for (const sequence of await this.#store.listRecords(this.#log, signal)) {
      const jws = await this.#store.readRecord(this.#log, sequence, signal);
      if (jws === undefined) continue; // another process has just deleted it
      try {
        const keys = good.at(-1)?.nextKeys ?? trust;
        good.push(await verifyAlone(jws, { log: this.#log, sequence }, keys));
      } catch (error) {
        if (!(error instanceof RegistryError)) throw error;
        bad.push(sequence);
        damage = error;
      }
    }
    const records = good.filter((one, index) => isBefore(one, good[index + 1]));
    const forks = good.filter((one) => !records.includes(one)).map(({ record }) => record.sequence);
    if (forks.length > 0) damage ??= this.#broken(forks.at(-1) ?? 0, 'is not the one that the next names');
    const isHeadBad = (bad.at(-1) ?? 0) > (records.at(-1)?.record.sequence ?? 0);
    if (!isHeadBad)
      for (const sequence of [...bad, ...forks]) await this.#store.deleteRecord(this.#log, sequence, signal);
    return { records, damage, isHeadBad };
  }

  /**
   * Stores what is needed of a log up to its head, and deletes what no longer is. Records that could not be stored when they came
   * are read again, as they may name keys; each must have the hash that the one after it names.
   *
   * @param records that were verified up to the head, the oldest first
   * @returns whether the copy ends with this head: another process may be ahead
   * @throws RegistryError BROKEN_CHAIN; nothing has changed then
   */
  async add(
    from: RegistryStore,
    records: readonly VerifiedRecord[],
    head: VerifiedRecord,
    signal: AbortSignal,
  ): Promise<boolean> {
    const stored = await this.#store.listRecords(this.#log, signal);
    const last = head.record.sequence;
    if ((stored.at(-1) ?? 0) > last) return false;
    const read = await this.#readNeeded(from, [...records, head], stored.at(-1) ?? 0, signal);
    const needed = read.filter(({ sequence }) => !stored.includes(sequence));
    const isFirst = ({ sequence, jws }: StoredRecord): boolean => sequence === last || namesKeys(jws);
    const ordered = [...needed.filter(isFirst), ...needed.filter((one) => !isFirst(one))];
    for (const { sequence, jws } of ordered) await this.#store.createRecord(this.#log, sequence, jws, signal);
    await this.#deleteUnneeded(signal);
    return true;
  }

  /** Whether another process has stored a newer record. */
  async isAfter({ record }: VerifiedRecord, signal: AbortSignal): Promise<boolean> {
    return (await this.#store.readHead(this.#log, signal)) > record.sequence;
  }

  /** Adds records that were verified. */
  async restore(records: readonly VerifiedRecord[], signal: AbortSignal): Promise<void> {
    for (const { record, jws } of records)
      await this.#store.createRecord(this.#log, record.sequence, jws, signal);
  }

  /** From the head back, as each record names the hash of the one before. @returns the oldest first */
  async #readNeeded(
    from: RegistryStore,
    records: readonly VerifiedRecord[],
    stored: number,
    signal: AbortSignal,
  ): Promise<readonly StoredRecord[]> {
    const verified = new Map(records.map(({ record, jws }) => [record.sequence, jws]));
    const last = records.at(-1);
    const first = Math.min(stored + 1, ...records.slice(0, 1).map(({ record }) => record.sequence));
    const needed: StoredRecord[] = [];
    let hash = last?.hash;
    for (let sequence = last?.record.sequence ?? 0; sequence >= first; sequence -= 1) {
      const jws = verified.get(sequence) ?? (await from.readRecord(this.#log, sequence, signal));
      if (jws === undefined) throw this.#broken(sequence, 'is missing');
      if (digestOf(jws) !== hash) throw this.#broken(sequence, 'is not the one that the next names');
      hash = decode(jws).previous;
      if (sequence > (last?.record.sequence ?? 0) - STORED_RECORDS || namesKeys(jws))
        needed.unshift({ sequence, jws });
    }
    return needed;
  }

  #broken(sequence: number, what: string): RegistryError {
    return new RegistryError('BROKEN_CHAIN', `Record ${sequence} of ${formatLogName(this.#log)} ${what}.`);
  }

  async #deleteUnneeded(signal: AbortSignal): Promise<void> {
    const sequences = await this.#store.listRecords(this.#log, signal);
    for (const sequence of sequences.slice(0, -STORED_RECORDS)) {
      const jws = await this.#store.readRecord(this.#log, sequence, signal);
      if (jws !== undefined && !namesKeys(jws)) await this.#store.deleteRecord(this.#log, sequence, signal);
    }
  }
}

/** Whether nothing that is stored says that another record was there. */
function isBefore({ record, hash }: VerifiedRecord, next: VerifiedRecord | undefined): boolean {
  return next?.record.sequence !== record.sequence + 1 || next.record.previous === hash;
}

function namesKeys(jws: string): boolean {
  return decode(jws).keys !== undefined;
}

/** Of a record whose signature or hash was checked. */
function decode(jws: string): RegistryRecord {
  const [, payload = ''] = jws.split('.');
  return decodeRecord(Buffer.from(payload, 'base64url').toString('utf8'));
}
