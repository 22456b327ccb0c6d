import {
  decodeRecord,
  formatLogName,
  RegistryError,
  verifyAlone,
  verifyNext,
  type FolderStore,
  type LogName,
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

/**
 * The end of a log, on the disk of a gateway: its head, the records before it for the history, and each that names keys. From the keys
 * that the gateway was given those lead to the keys that sign the head, and the head alone shows whether a registry is the
 * same as before and goes on from there: so what lies between may be missing.
 *
 * A kill leaves a copy that verifies. Records that name keys are written before the head, what only the history needs after it,
 * and deleted is what nothing needs.
 */
export class CopiedLog {
  readonly #store: FolderStore;
  readonly #log: LogName;

  constructor(store: FolderStore, log: LogName) {
    this.#store = store;
    this.#log = log;
  }

  /**
   * Verifies what is stored: signature, graph, environment and sequence of each record, and the chain where the record before is stored.
   *
   * @param trust the keys of the first record
   * @param onRecord called for each, the oldest first
   * @returns nothing where nothing is stored
   * @throws RegistryError those of `verifyNext`, and those of the store
   */
  async verify(
    trust: TrustedKeys,
    onRecord: (record: VerifiedRecord) => void,
    signal: AbortSignal,
  ): Promise<VerifiedHead | undefined> {
    let head: VerifiedHead | undefined;
    for (const sequence of await this.#store.listRecords(this.#log, signal)) {
      const jws = await this.#store.readRecord(this.#log, sequence, signal);
      if (jws === undefined) continue; // another process has just deleted it
      head = await this.#verifyAfter(head, { sequence, jws }, trust);
      onRecord(head);
    }
    return head;
  }

  /**
   * Stores what is needed of records that were verified, the oldest first, and deletes what no longer is. Those that could not be
   * stored when they came are read again, as they may name keys.
   */
  async add(from: RegistryStore, records: readonly VerifiedRecord[], signal: AbortSignal): Promise<void> {
    const needed = await this.#readNeeded(from, records, signal);
    const head = needed.at(-1);
    const isFirst = (one: StoredRecord): boolean => one === head || namesKeys(one.jws);
    const ordered = [...needed.filter(isFirst), ...needed.filter((one) => !isFirst(one))];
    for (const { sequence, jws } of ordered) await this.#store.createRecord(this.#log, sequence, jws, signal);
    await this.#deleteUnneeded(signal);
  }

  #verifyAfter(
    before: VerifiedHead | undefined,
    { sequence, jws }: StoredRecord,
    trust: TrustedKeys,
  ): Promise<VerifiedHead> {
    const place = { log: this.#log, sequence };
    const isNext = sequence === (before?.record.sequence ?? 0) + 1;
    return isNext
      ? verifyNext(jws, place, before, trust)
      : verifyAlone(jws, place, before?.nextKeys ?? trust);
  }

  async #readNeeded(
    from: RegistryStore,
    records: readonly VerifiedRecord[],
    signal: AbortSignal,
  ): Promise<readonly StoredRecord[]> {
    const verified = new Map(records.map(({ record, jws }) => [record.sequence, jws]));
    const last = records.at(-1)?.record.sequence ?? 0;
    const stored = await this.#store.readHead(this.#log, signal);
    const needed: StoredRecord[] = [];
    for (let sequence = stored + 1; sequence <= last; sequence += 1) {
      const jws = verified.get(sequence) ?? (await from.readRecord(this.#log, sequence, signal));
      if (jws === undefined)
        throw new RegistryError(
          'BROKEN_CHAIN',
          `Record ${sequence} of ${formatLogName(this.#log)} is missing.`,
        );
      if (sequence > last - STORED_RECORDS || namesKeys(jws)) needed.push({ sequence, jws });
    }
    return needed;
  }

  async #deleteUnneeded(signal: AbortSignal): Promise<void> {
    const sequences = await this.#store.listRecords(this.#log, signal);
    for (const sequence of sequences.slice(0, -STORED_RECORDS)) {
      const jws = await this.#store.readRecord(this.#log, sequence, signal);
      if (jws !== undefined && !namesKeys(jws)) await this.#store.deleteRecord(this.#log, sequence, signal);
    }
  }
}

/** Of a record whose signature was checked, or will be. */
function namesKeys(jws: string): boolean {
  const [, payload = ''] = jws.split('.');
  return decodeRecord(Buffer.from(payload, 'base64url').toString('utf8')).keys !== undefined;
}
