import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  FolderStore,
  formatLogName,
  readRelease,
  readTextBlob,
  RegistryError,
  verifyLog,
  writeTextBlob,
  type BlobReference,
  type LogName,
  type RegistryStore,
  type TrustedKeys,
  type VerifiedHead,
  type VerifiedRecord,
} from '@trellis/registry';

/** Texts that no record of the cache names any more are deleted after so long: another process may be about to name one. */
const UNUSED_MS = 3_600_000;

/**
 * A registry of its own on the disk of the gateway, with the log that it has followed and the texts of what it serves: at the next
 * start it is verified like any other. Processes may share it.
 */
export class LastGoodRelease {
  readonly #folder: string;
  readonly #log: LogName;
  #store: FolderStore;

  /** @param directory where caches are: each log has a folder in it */
  constructor(directory: string, log: LogName) {
    this.#folder = join(directory, formatLogName(log));
    this.#log = log;
    this.#store = new FolderStore(this.#folder);
  }

  /** Where its texts are read. */
  get store(): RegistryStore {
    return this.#store;
  }

  /**
   * Verifies what is stored.
   *
   * @returns nothing where nothing is stored yet
   * @throws RegistryError where it is damaged; it is set aside then
   */
  async verify(
    trust: TrustedKeys,
    onRecord: (record: VerifiedRecord) => void,
    signal: AbortSignal,
  ): Promise<VerifiedHead | undefined> {
    await this.#store.initialize(signal);
    try {
      return await verifyLog(this.#store, this.#log, trust, { onRecord, signal });
    } catch (error) {
      if (error instanceof RegistryError && !error.code.startsWith('STORE_')) await this.#setAside(signal);
      throw error;
    }
  }

  /** Copies the texts of releases from a registry. What is stored and whole is left as it is. */
  async copyTexts(
    from: RegistryStore,
    releases: readonly BlobReference[],
    signal: AbortSignal,
  ): Promise<void> {
    const used = new Set<string>();
    for (const reference of releases) {
      used.add(reference.digest);
      await this.#copy(from, reference, signal);
      const { supergraph } = await readRelease(this.#store, reference, signal);
      used.add(supergraph.digest);
      await this.#copy(from, supergraph, signal);
    }
    await this.#deleteUnused(used, signal);
  }

  /**
   * Stores records that were verified, the oldest first. To be called after {@link copyTexts}. Those that could not be stored when
   * they came are read again: a log with a gap would be damaged at the next start.
   */
  async add(from: RegistryStore, records: readonly VerifiedRecord[], signal: AbortSignal): Promise<void> {
    const verified = new Map(records.map(({ record, jws }) => [record.sequence, jws]));
    const last = records.at(-1)?.record.sequence ?? 0;
    const stored = await this.#store.readHead(this.#log, signal);
    for (let sequence = stored + 1; sequence <= last; sequence += 1) {
      const jws = verified.get(sequence) ?? (await from.readRecord(this.#log, sequence, signal));
      if (jws === undefined)
        throw new RegistryError(
          'BROKEN_CHAIN',
          `Record ${sequence} of ${formatLogName(this.#log)} is missing.`,
        );
      await this.#store.createRecord(this.#log, sequence, jws, signal);
    }
  }

  async #copy(from: RegistryStore, reference: BlobReference, signal: AbortSignal): Promise<void> {
    const stored = await readTextBlob(this.#store, reference, signal).catch(() => undefined);
    if (stored === undefined)
      await writeTextBlob(this.#store, await readTextBlob(from, reference, signal), signal);
  }

  async #deleteUnused(used: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const before = new Date(Date.now() - UNUSED_MS);
    for (const { digest } of await this.#store.listBlobs(signal))
      if (!used.has(digest)) await this.#store.deleteBlob(digest, before, signal);
  }

  /** Shows what happened to it; the next damage replaces it. */
  async #setAside(signal: AbortSignal): Promise<void> {
    const aside = `${this.#folder}.damaged`;
    await rm(aside, { recursive: true, force: true });
    await rename(this.#folder, aside);
    this.#store = new FolderStore(this.#folder);
    await this.#store.initialize(signal);
  }
}
