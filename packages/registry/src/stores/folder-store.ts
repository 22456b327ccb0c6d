import { randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf, MAX_BLOB_BYTES, type BlobReference } from '../blob.ts';
import { checkFormat, parseDocument } from '../format-version.ts';
import { isLogPart, type LogName } from '../log-name.ts';
import { RegistryError } from '../registry-error.ts';
import { MAX_RECORD_BYTES, type RegistryStore, type StoredBlob } from '../registry-store.ts';
import {
  createDurably,
  linkIfAbsent,
  makeFolder,
  putBack,
  removeIfOld,
  touch,
  type FolderDisk,
  realDisk,
} from './durable-files.ts';
import { describeFileError, notARegistry } from './file-errors.ts';
import { readWhole, type StoredFile } from './read-whole.ts';

/** The file that says: this folder is a registry, and not a mount that failed. */
const MARK = 'registry.json';
const MARK_FORMAT = 'trellis-registry';
const MARK_VERSION = 1;

const aMark: StoredFile = { atMostBytes: 4_096, codeOfOthers: 'NO_REGISTRY' };
const aText: StoredFile = { atMostBytes: MAX_BLOB_BYTES, codeOfOthers: 'BLOB_ALTERED' };
const aRecord: StoredFile = { atMostBytes: MAX_RECORD_BYTES, codeOfOthers: 'UNSIGNED' };

/** What a {@link FolderStore} is made with. */
export interface FolderStoreOptions {
  /** Its calls to the file system; tests fail them. @default those of Node.js */
  readonly disk?: FolderDisk;
}

/**
 * A registry in a folder, for one host or a network share:
 *
 * ```text
 * registry.json
 * blobs/sha256/<digest>
 * graphs/<graph>/environments/<environment>/log/00000042.jws
 * tmp/
 * ```
 *
 * A record is written to a temporary file, synced, and linked to its name: link(2) fails where the name exists. Then the folder is
 * synced. Write access to the folder is the right to publish everything that the signing key may sign.
 */
export class FolderStore implements RegistryStore {
  readonly description: string;
  readonly #folder: string;
  readonly #disk: FolderDisk;

  constructor(folder: string, { disk = realDisk }: FolderStoreOptions = {}) {
    this.#folder = folder;
    this.#disk = disk;
    this.description = `the folder ${folder}`;
  }

  /** Makes an empty registry of a folder; one that exists stays as it is. @returns whether it is new */
  async initialize(signal: AbortSignal): Promise<boolean> {
    return this.#inWords(signal, async () => {
      for (const path of ['blobs/sha256', 'graphs', 'tmp'])
        await makeFolder(this.#disk, join(this.#folder, path));
      if (await readWhole(join(this.#folder, MARK), aMark, signal)) return false;
      const mark = `${JSON.stringify({ format: `${MARK_FORMAT}/${MARK_VERSION}` })}\n`;
      return this.#create(join(this.#folder, MARK), Buffer.from(mark));
    });
  }

  async readBlob(digest: string, _bytes: number, signal: AbortSignal): Promise<Uint8Array | undefined> {
    return this.#attempt(
      signal,
      async () =>
        (await readWhole(this.#blobPath(digest), aText, signal)) ??
        readWhole(this.#asidePath(digest), aText, signal),
    );
  }

  async writeBlob({ digest }: BlobReference, content: Uint8Array, signal: AbortSignal): Promise<void> {
    const path = this.#blobPath(digest);
    await this.#attempt(signal, async () => {
      const found = await touch(this.#disk, path);
      if (found === 'absent') {
        await this.#create(path, content);
        return;
      }
      const stored = found === 'young' && (await readWhole(path, aText, signal));
      if (!stored || digestOf(stored) !== digest)
        await createDurably(this.#disk, this.#temporary(), path, content);
    });
  }

  async readHead(log: LogName, signal: AbortSignal): Promise<number> {
    return (await this.listRecords(log, signal)).at(-1) ?? 0;
  }

  /** The sequences of a log, ascending: of a registry all of them, of a copy those that are stored. */
  async listRecords(log: LogName, signal: AbortSignal): Promise<readonly number[]> {
    return this.#attempt(signal, async () => {
      const names = await this.#list(this.#logPath(log));
      return names.flatMap((name) => sequenceOf(name) ?? []).toSorted((a, b) => a - b);
    });
  }

  /** Deletes a record of a copy: a registry has all of its records for good. One that is gone already is no error. */
  async deleteRecord(log: LogName, sequence: number, signal: AbortSignal): Promise<void> {
    await this.#attempt(signal, () => rm(this.#recordPath(log, sequence), { force: true }));
  }

  async readRecord(log: LogName, sequence: number, signal: AbortSignal): Promise<string | undefined> {
    const content = await this.#attempt(signal, () =>
      readWhole(this.#recordPath(log, sequence), aRecord, signal),
    );
    return content && Buffer.from(content).toString('utf8');
  }

  async createRecord(log: LogName, sequence: number, jws: string, signal: AbortSignal): Promise<boolean> {
    return this.#attempt(signal, async () => {
      await makeFolder(this.#disk, this.#logPath(log));
      // Whose record comes before may not have synced it yet: a loss of power could leave this one without it.
      await this.#disk.syncFolder(this.#logPath(log));
      return this.#create(this.#recordPath(log, sequence), Buffer.from(jws));
    });
  }

  async listLogs(signal: AbortSignal): Promise<readonly LogName[]> {
    return this.#attempt(signal, async () => {
      const graphs = (await this.#list(join(this.#folder, 'graphs'))).filter(isLogPart).toSorted();
      const logs = graphs.map(async (graph) => {
        const names = await this.#list(join(this.#folder, 'graphs', graph, 'environments'));
        return names
          .filter(isLogPart)
          .toSorted()
          .map((environment) => ({ graph, environment }));
      });
      const all = (await Promise.all(logs)).flat();
      const heads = await Promise.all(all.map((log) => this.readHead(log, signal)));
      return all.filter((_log, index) => (heads[index] ?? 0) > 0);
    });
  }

  async listBlobs(signal: AbortSignal): Promise<readonly StoredBlob[]> {
    return this.#attempt(signal, async () => {
      await this.#putBack();
      const digests = (await this.#list(join(this.#folder, 'blobs/sha256'))).filter((name) =>
        /^[0-9a-f]{64}$/.test(name),
      );
      const blobs: StoredBlob[] = [];
      for (const digest of digests) {
        signal.throwIfAborted();
        const found = await stat(this.#blobPath(digest)).catch(absent);
        if (found) blobs.push({ digest, bytes: found.size, writtenAt: found.mtime });
      }
      return blobs;
    });
  }

  async deleteBlob(digest: string, writtenBefore: Date, signal: AbortSignal): Promise<boolean> {
    return this.#attempt(signal, () =>
      removeIfOld(this.#blobPath(digest), this.#asidePath(digest), writtenBefore),
    );
  }

  /** Deletes what killed programs left in `tmp/`. @returns how many files */
  async deleteLeftovers(writtenBefore: Date, signal: AbortSignal): Promise<number> {
    return this.#attempt(signal, async () => {
      const names = await this.#list(join(this.#folder, 'tmp'));
      const removed = names.map((name) =>
        removeIfOld(join(this.#folder, 'tmp', name), this.#temporary(), writtenBefore),
      );
      return (await Promise.all(removed)).filter(Boolean).length;
    });
  }

  /** @returns whether this call created the file */
  #create(path: string, content: Uint8Array): Promise<boolean> {
    return linkIfAbsent(this.#disk, this.#temporary(), path, content);
  }

  #temporary(): string {
    return join(this.#folder, 'tmp', `${randomUUID()}.tmp`);
  }

  /** Where gc has a text while it decides. */
  #asidePath(digest: string): string {
    return join(this.#folder, 'tmp', `${digest}.aside`);
  }

  /** A killed gc may have left a text that a record names. */
  async #putBack(): Promise<void> {
    for (const name of await this.#list(join(this.#folder, 'tmp'))) {
      const [, digest] = /^([0-9a-f]{64})\.aside$/.exec(name) ?? [];
      if (digest !== undefined) await putBack(this.#asidePath(digest), this.#blobPath(digest));
    }
  }

  #blobPath(digest: string): string {
    return join(this.#folder, 'blobs/sha256', digest);
  }

  #logPath({ graph, environment }: LogName): string {
    if (isLogPart(graph) && isLogPart(environment))
      return join(this.#folder, 'graphs', graph, 'environments', environment, 'log');
    throw new RegistryError('INVALID_NAME', 'A graph and an environment are named by a-z, 0-9, _ and -.');
  }

  #recordPath(log: LogName, sequence: number): string {
    return join(this.#logPath(log), `${String(sequence).padStart(8, '0')}.jws`);
  }

  async #list(path: string): Promise<readonly string[]> {
    return (await readdir(path).catch(absent)) ?? [];
  }

  /** Each call looks first whether the folder is a registry: a mount that went would be an empty one. */
  #attempt<Result>(signal: AbortSignal, action: () => Promise<Result>): Promise<Result> {
    return this.#inWords(signal, async () => {
      const mark = await readWhole(join(this.#folder, MARK), aMark, signal);
      if (!mark) throw notARegistry(this.#folder);
      checkFormat(parseDocument(Buffer.from(mark).toString('utf8'), MARK_FORMAT), MARK_FORMAT, MARK_VERSION);
      return action();
    });
  }

  /** Says in words what the file system rejects. */
  async #inWords<Result>(signal: AbortSignal, action: () => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    try {
      return await action();
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw error instanceof RegistryError ? error : describeFileError(error, this.#folder);
    }
  }
}

function sequenceOf(name: string): number | undefined {
  const [, digits] = /^(\d{8})\.jws$/.exec(name) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
