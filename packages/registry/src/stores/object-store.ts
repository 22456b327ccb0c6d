import { randomUUID } from 'node:crypto';
import { env as inherited } from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { growingPauseMs } from '@trellis/runtime/growing-pause';
import { MAX_BLOB_BYTES, type BlobReference } from '../blob.ts';
import { checkFormat, parseDocument } from '../format-version.ts';
import { isLogPart, type LogName } from '../log-name.ts';
import { RegistryError } from '../registry-error.ts';
import { MAX_RECORD_BYTES, type RegistryStore, type StoredBlob } from '../registry-store.ts';
import { awsCredentials } from './aws-credentials.ts';
import { ObjectRequests, type ListingRequest } from './object-requests.ts';
import type { ListedObject } from './object-listing.ts';
import { probeCreation } from './probe-creation.ts';

/** The object that says: this is a registry. */
const MARK = 'registry.json';
const MARK_FORMAT = 'trellis-registry';
const MARK_VERSION = 1;
const MAX_MARK_BYTES = 64 * 1024;
/** How often a record is sent to a store that could not decide, or whose response was lost. */
const CREATIONS = 5;
/** Between them. */
const RETRY = { firstMs: 200, jitter: [0, 1] } as const;

/** What an {@link ObjectStore} is made with. */
export interface ObjectStoreOptions {
  /** Variables with credentials. @default those of this process */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * A registry in a bucket of an object store that speaks as Amazon S3 does, with the names of a registry in a folder. A record is
 * created by `PUT` with `If-None-Match: *`. Stores that ignore the condition are found out before the first record that a process
 * writes. Who may write to the bucket may publish everything that the signing key may sign.
 */
export class ObjectStore implements RegistryStore {
  readonly description: string;
  readonly #prefix: string;
  readonly #requests: ObjectRequests;
  #isRegistry = false;
  #isSuitable = false;

  /**
   * @param address `https://host/bucket/prefix`; the prefix may be absent
   * @throws RegistryError INVALID_NAME
   */
  constructor(address: string, { environment = inherited }: ObjectStoreOptions = {}) {
    const { bucket, prefix } = placeOf(address);
    this.#prefix = prefix;
    this.description = `the bucket ${bucket}${prefix === '' ? '' : `, ${prefix}`}`;
    this.#requests = new ObjectRequests(bucket, this.description, awsCredentials(environment));
  }

  /** Makes an empty registry in a bucket that exists, if the store creates an object once among callers at once. */
  async initialize(signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    if (await this.#requests.read(this.#key(MARK), MAX_MARK_BYTES, signal)) return false;
    await probeCreation(this.#requests, this.#key(`probe/${randomUUID()}`), this.description, signal);
    return (await this.#requests.create(this.#key(MARK), this.#mark(), signal)) === 'created';
  }

  async readBlob(digest: string, bytes: number, signal: AbortSignal): Promise<Uint8Array | undefined> {
    await this.#checkMark(signal);
    const atMost = Math.min(bytes, MAX_BLOB_BYTES);
    return (
      (await this.#requests.read(this.#blobKey(digest), atMost, signal)) ??
      this.#requests.read(this.#asideKey(digest), atMost, signal)
    );
  }

  /** It is written whether there is one or not: its time is what gc goes by, and what was damaged is whole again. */
  async writeBlob({ digest }: BlobReference, content: Uint8Array, signal: AbortSignal): Promise<void> {
    await this.#checkMark(signal);
    await this.#requests.write(this.#blobKey(digest), content, signal);
  }

  async readHead(log: LogName, signal: AbortSignal, atLeast = 0): Promise<number> {
    await this.#checkMark(signal);
    // What is known has to be there too: a log that has become shorter was rewritten.
    const known = atLeast > 1 ? await this.#lastOf(log, atLeast - 1, signal) : 0;
    return known === 0 ? this.#lastOf(log, 0, signal) : known;
  }

  async readRecord(log: LogName, sequence: number, signal: AbortSignal): Promise<string | undefined> {
    await this.#checkMark(signal);
    const content = await this.#requests.read(this.#recordKey(log, sequence), MAX_RECORD_BYTES, signal);
    return content && Buffer.from(content).toString('utf8');
  }

  async createRecord(log: LogName, sequence: number, jws: string, signal: AbortSignal): Promise<boolean> {
    await this.#checkMark(signal);
    await this.#checkSuitable(signal);
    const key = this.#recordKey(log, sequence);
    for (let attempt = 1; ; attempt += 1) {
      const created = await this.#requests.create(key, Buffer.from(jws), signal).catch((error: unknown) => {
        if (signal.aborted || !isPassing(error)) throw error;
        return error;
      });
      if (created === 'created') return true;
      // Whose response was lost may have written it: no two records are equal.
      const stored = await this.readRecord(log, sequence, signal);
      if (stored !== undefined) return stored === jws;
      if (attempt >= CREATIONS) throw isPassing(created) ? created : this.#undecided();
      await wait(growingPauseMs(attempt - 1, RETRY), undefined, { signal });
    }
  }

  async listLogs(signal: AbortSignal): Promise<readonly LogName[]> {
    await this.#checkMark(signal);
    const logs: LogName[] = [];
    for (const graph of await this.#names('graphs/', signal))
      for (const environment of await this.#names(`graphs/${graph}/environments/`, signal)) {
        const log = { graph, environment };
        if (await this.#hasObjects(this.#logPrefix(log), signal)) logs.push(log);
      }
    return logs;
  }

  async listBlobs(signal: AbortSignal): Promise<readonly StoredBlob[]> {
    await this.#checkMark(signal);
    const blobs = new Map<string, StoredBlob>();
    for (const folder of ['aside/', 'blobs/sha256/'])
      for await (const { key, ...rest } of this.#all(this.#key(folder), signal)) {
        const digest = key.slice(this.#key(folder).length);
        if (/^[0-9a-f]{64}$/.test(digest)) blobs.set(digest, { digest, ...rest });
      }
    return [...blobs.values()];
  }

  /**
   * In two steps, as no store deletes an object by its age: a text is copied aside, where readers find it, and deleted; the copy goes
   * when it is old itself. A publisher that writes the text between the look at its age and its end loses nothing; what the store does
   * not confirm is not deleted.
   */
  async deleteBlob(digest: string, writtenBefore: Date, signal: AbortSignal): Promise<boolean> {
    await this.#checkMark(signal);
    const writtenAt = await this.#requests.writtenAt(this.#blobKey(digest), signal);
    if (writtenAt && writtenAt >= writtenBefore) return false;
    const content = writtenAt && (await this.#requests.read(this.#blobKey(digest), MAX_BLOB_BYTES, signal));
    if (content) {
      await this.#requests.write(this.#asideKey(digest), content, signal);
      if (!(await this.#requests.writtenAt(this.#asideKey(digest), signal))) return false;
      await this.#requests.remove(this.#blobKey(digest), signal);
    }
    const copiedAt = await this.#requests.writtenAt(this.#asideKey(digest), signal);
    if (!copiedAt || copiedAt >= writtenBefore) return content !== undefined;
    await this.#requests.remove(this.#asideKey(digest), signal);
    return true;
  }

  /** A mark that was seen is trusted for the rest of the process: a bucket does not go as a mount does. */
  async #checkMark(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#isRegistry) return;
    const mark = await this.#requests.read(this.#key(MARK), MAX_MARK_BYTES, signal);
    if (!mark)
      throw new RegistryError(
        'NO_REGISTRY',
        `${this.description} holds no registry. trellis registry init makes one.`,
      );
    checkFormat(parseDocument(Buffer.from(mark).toString('utf8'), MARK_FORMAT), MARK_FORMAT, MARK_VERSION);
    this.#isRegistry = true;
  }

  /** The mark exists: a store that creates it again creates records again. */
  async #checkSuitable(signal: AbortSignal): Promise<void> {
    if (this.#isSuitable) return;
    const key = this.#key(MARK);
    const created = await this.#requests.create(key, this.#mark(), signal);
    if (created === 'created')
      throw new RegistryError(
        'STORE_UNSUITABLE',
        `${this.description} ignores If-None-Match: a record would replace another. Take a store that keeps to it.`,
      );
    this.#isSuitable = created === 'exists';
  }

  #undecided(): RegistryError {
    return new RegistryError(
      'STORE_UNAVAILABLE',
      `${this.description} could not decide who creates the record.`,
    );
  }

  /** The highest sequence behind another one; 0: none. */
  async #lastOf(log: LogName, after: number, signal: AbortSignal): Promise<number> {
    let last = 0;
    const start = after === 0 ? {} : { startAfter: this.#recordKey(log, after) };
    for await (const { key } of this.#all(this.#logPrefix(log), signal, start)) {
      const [, digits] = /\/(\d{8})\.jws$/.exec(key) ?? [];
      last = Math.max(last, Number(digits ?? 0));
    }
    return last;
  }

  async *#all(
    prefix: string,
    signal: AbortSignal,
    some: Pick<ListingRequest, 'startAfter' | 'maxKeys'> = {},
  ): AsyncGenerator<ListedObject> {
    let continuationToken: string | undefined;
    do {
      const page = await this.#requests.list({ prefix, ...some, continuationToken }, signal);
      yield* page.objects;
      ({ continuationToken } = page);
    } while (continuationToken !== undefined);
  }

  /** Pages of a listing may be empty: the last one decides. */
  async #hasObjects(prefix: string, signal: AbortSignal): Promise<boolean> {
    const { done } = await this.#all(prefix, signal, { maxKeys: 1 }).next();
    return done !== true;
  }

  /** The parts of names that follow a prefix. */
  async #names(path: string, signal: AbortSignal): Promise<readonly string[]> {
    const prefix = this.#key(path);
    const names: string[] = [];
    let continuationToken: string | undefined;
    do {
      const page = await this.#requests.list({ prefix, delimiter: '/', continuationToken }, signal);
      names.push(...page.prefixes.map((name) => name.slice(prefix.length, -1)).filter(isLogPart));
      ({ continuationToken } = page);
    } while (continuationToken !== undefined);
    return names;
  }

  #mark(): Uint8Array {
    return Buffer.from(`${JSON.stringify({ format: `${MARK_FORMAT}/${MARK_VERSION}` })}\n`);
  }

  #key(path: string): string {
    return `${this.#prefix}${path}`;
  }

  #blobKey(digest: string): string {
    return this.#key(`blobs/sha256/${digest}`);
  }

  /** Where gc has a text until it is certain. */
  #asideKey(digest: string): string {
    return this.#key(`aside/${digest}`);
  }

  #logPrefix({ graph, environment }: LogName): string {
    if (isLogPart(graph) && isLogPart(environment))
      return this.#key(`graphs/${graph}/environments/${environment}/log/`);
    throw new RegistryError('INVALID_NAME', 'A graph and an environment are named by a-z, 0-9, _ and -.');
  }

  #recordKey(log: LogName, sequence: number): string {
    return `${this.#logPrefix(log)}${String(sequence).padStart(8, '0')}.jws`;
  }
}

function isPassing(error: unknown): error is RegistryError {
  return error instanceof RegistryError && error.code === 'STORE_UNAVAILABLE';
}

/** Names are taken as they are: none needs an encoding. Credentials stand nowhere in it. */
function placeOf(address: string): { readonly bucket: string; readonly prefix: string } {
  const { origin, pathname, username, password, search, hash } = new URL(address);
  const [, bucket, prefix = ''] =
    /^\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/((?:[\w-][\w.-]{0,63}\/){0,8}[\w-][\w.-]{0,63}))?\/?$/.exec(
      pathname,
    ) ?? [];
  // A path with .., %2e%2e or \.. would have become another bucket.
  if (
    bucket === undefined ||
    /\/\.{1,2}(?:\/|$)|[%\\]/.test(address) ||
    [username, password, search, hash].some((part) => part !== '')
  )
    throw new RegistryError(
      'INVALID_NAME',
      'An object store is s3+https://HOST/BUCKET or s3+https://HOST/BUCKET/PREFIX; credentials come from the environment.',
    );
  return { bucket: `${origin}/${bucket}`, prefix: prefix === '' ? '' : `${prefix}/` };
}
