import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  FolderStore,
  formatLogName,
  hasServedText,
  readRelease,
  readTextBlob,
  servedText,
  writeTextBlob,
  type BlobReference,
  type LogName,
  type RegistryStore,
  type TrustedKeys,
  type VerifiedRecord,
} from '@trellis/registry';
import { CopiedLog, type VerifiedCopy } from './copied-log.ts';

/** Texts that no record of the cache names any more are deleted after so long: another process may be about to name one. */
const UNUSED_MS = 3_600_000;

/** What a gateway has followed and serves. */
interface ServedRecords {
  readonly records: readonly VerifiedRecord[];
  readonly head: VerifiedRecord;
}

/**
 * A registry of its own on the disk of the gateway, with the end of the log that it has followed and the texts of what it serves: at
 * the next start it is verified by the same keys as any other. Processes may share it.
 */
export class LastGoodRelease {
  readonly #folder: string;
  readonly #log: LogName;
  readonly #contract: string | undefined;
  #store: FolderStore;
  #records: CopiedLog;

  /**
   * @param directory where caches are: each log has a folder in it, and each contract of it one of its own, as a record that is good for one
   * need not be good for another
   * @param contract what of the graph is served. Absent: all of it
   */
  constructor(directory: string, log: LogName, contract?: string) {
    const name = formatLogName(log);
    this.#folder = join(directory, contract === undefined ? name : `${name}+${contract}`);
    this.#log = log;
    this.#contract = contract;
    this.#store = new FolderStore(this.#folder);
    this.#records = new CopiedLog(this.#store, log);
  }

  /** Where its texts are read. */
  get store(): RegistryStore {
    return this.#store;
  }

  /**
   * Verifies what is stored. Where the head is bad, all is set aside but the records that verify; where another is, that alone is
   * deleted.
   *
   * @throws RegistryError those of the store
   */
  async verify(trust: TrustedKeys, signal: AbortSignal): Promise<VerifiedCopy> {
    await this.#store.initialize(signal);
    const copy = await this.#records.verify(trust, signal);
    if (copy.isHeadBad) await this.#setAside(copy.records, signal);
    return copy;
  }

  /**
   * Stores what is served from now on. After a kill the newest record whose texts are whole is what was served before, or this: texts
   * are written before the records that name them, and deleted after. Where another process is ahead, nothing is deleted.
   *
   * @param head that is served
   * @param records that were verified up to it, the oldest first; none where they are stored already, or are to be read again
   */
  async replace(from: RegistryStore, { records, head }: ServedRecords, signal: AbortSignal): Promise<void> {
    const { release, variants } = head.record;
    const used = await this.#copyTexts(from, [release, ...variants.map((one) => one.release)], signal);
    if (!(await this.#records.add(from, records, head, signal))) return;
    await this.#deleteUnused(used, head, signal);
  }

  /** What is stored and whole is left as it is. @returns the digests */
  async #copyTexts(
    from: RegistryStore,
    releases: readonly BlobReference[],
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    const used = new Set<string>();
    for (const reference of releases) {
      used.add(reference.digest);
      await this.#copy(from, reference, signal);
      const release = await readRelease(this.#store, reference, signal);
      if (!hasServedText(release, this.#contract)) continue;
      const supergraph = servedText(release, this.#contract);
      used.add(supergraph.digest);
      await this.#copy(from, supergraph, signal);
    }
    return used;
  }

  async #copy(from: RegistryStore, reference: BlobReference, signal: AbortSignal): Promise<void> {
    const stored = await readTextBlob(this.#store, reference, signal).catch(() => undefined);
    if (stored === undefined)
      await writeTextBlob(this.#store, await readTextBlob(from, reference, signal), signal);
  }

  async #deleteUnused(used: ReadonlySet<string>, head: VerifiedRecord, signal: AbortSignal): Promise<void> {
    const before = new Date(Date.now() - UNUSED_MS);
    const stored = await this.#store.listBlobs(signal);
    if (await this.#records.isAfter(head, signal)) return;
    for (const { digest } of stored)
      if (!used.has(digest)) await this.#store.deleteBlob(digest, before, signal);
  }

  /** Shows what happened to it; the next damage replaces it. */
  async #setAside(records: readonly VerifiedRecord[], signal: AbortSignal): Promise<void> {
    const aside = `${this.#folder}.damaged`;
    await rm(aside, { recursive: true, force: true });
    await rename(this.#folder, aside);
    this.#store = new FolderStore(this.#folder);
    this.#records = new CopiedLog(this.#store, this.#log);
    await this.#store.initialize(signal);
    await this.#records.restore(records, signal);
  }
}
