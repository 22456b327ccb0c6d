import { setTimeout as wait } from 'node:timers/promises';
import { growingPauseMs } from '@trellis/runtime/growing-pause';
import { AwsV4Signer } from 'aws4fetch';
import { digestOf } from '../blob.ts';
import { RegistryError } from '../registry-error.ts';
import type { AwsCredentials } from './aws-credentials.ts';
import { objectFailure } from './object-failure.ts';
import { readObjectListing, type ObjectListing } from './object-listing.ts';
import { readAtMost } from './read-at-most.ts';

/** A request has that long. */
const TIMEOUT_MS = 30_000;
/** How often what may be repeated is sent to a store that is overloaded. */
const ATTEMPTS = 4;
/** Between them. */
const RETRY = { firstMs: 200, jitter: [0, 1] } as const;
/** Keys that sign, one for each day and credential: old ones are of no use, and stay no longer. */
const MAX_SIGNING_KEYS = 8;
const MAX_LISTING_BYTES = 8 * 1024 * 1024;

/** What came of writing an object that must not exist. */
export type Creation = 'created' | 'exists' | 'conflict';

/** What is listed of a bucket. */
export interface ListingRequest {
  readonly prefix: string;
  /** Only what comes behind this name. */
  readonly startAfter?: string;
  /** Names up to it are folded into prefixes. */
  readonly delimiter?: '/';
  /** @default as many as the store likes */
  readonly maxKeys?: number;
  readonly continuationToken?: string | undefined;
}

interface ObjectRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  readonly body?: Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Signed requests to one bucket, by the REST interface of Amazon S3 with addresses by path. Names of objects are made of characters
 * that need no encoding.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html
 */
export class ObjectRequests {
  readonly #bucket: string;
  readonly #description: string;
  readonly #credentials: () => Promise<AwsCredentials>;
  readonly #signingKeys: Map<string, ArrayBuffer>;

  /**
   * @param bucket `https://host/bucket`
   * @param signingKeys by what they are derived from; the newest 8 at most
   */
  constructor(
    bucket: string,
    description: string,
    credentials: () => Promise<AwsCredentials>,
    signingKeys: Map<string, ArrayBuffer> = new Map(),
  ) {
    this.#signingKeys = signingKeys;
    this.#bucket = bucket;
    this.#description = description;
    this.#credentials = credentials;
  }

  /** An object as a whole. Undefined: there is none. @throws RegistryError */
  async read(key: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array | undefined> {
    return this.#repeat(`/${key}`, { method: 'GET' }, signal, async (response) =>
      response.ok ? readAtMost(response, maxBytes, signal) : undefined,
    );
  }

  /**
   * When an object was written, by the clock of the store, rounded up. Undefined: there is none.
   *
   * @throws RegistryError STORE_UNAVAILABLE also where the store does not say when
   */
  async writtenAt(key: string, signal: AbortSignal): Promise<Date | undefined> {
    return this.#repeat(`/${key}`, { method: 'HEAD' }, signal, (response) => {
      if (!response.ok) return undefined;
      // Full seconds: nothing may look older than it is.
      const writtenAt = new Date(Date.parse(response.headers.get('last-modified') ?? '') + 999);
      if (!Number.isNaN(writtenAt.getTime())) return writtenAt;
      throw this.#unavailable('does not say when an object was written');
    });
  }

  /** Writes an object, over one that exists. @throws RegistryError */
  async write(key: string, content: Uint8Array, signal: AbortSignal): Promise<void> {
    await this.#repeat(`/${key}`, { method: 'PUT', body: Buffer.from(content) }, signal, ({ ok, status }) => {
      if (!ok) throw this.#unavailable(`did not write an object: status ${status}`);
    });
  }

  /**
   * Writes an object if there is none of that name: `If-None-Match: *`. It is sent once: who calls knows what it has written.
   *
   * @returns 'conflict' where the store could not decide among several at once
   * @throws RegistryError STORE_UNAVAILABLE also where it may have been written
   */
  async create(key: string, content: Uint8Array, signal: AbortSignal): Promise<Creation> {
    const headers = { 'if-none-match': '*' };
    const request = { method: 'PUT', body: Buffer.from(content), headers } as const;
    const response = await this.#send(`/${key}`, request, signal);
    await response.body?.cancel();
    if (response.ok) return 'created';
    return response.status === 412 ? 'exists' : 'conflict';
  }

  /** Deletes an object, or none. @throws RegistryError */
  async remove(key: string, signal: AbortSignal): Promise<void> {
    await this.#repeat(`/${key}`, { method: 'DELETE' }, signal, () => undefined);
  }

  /** One page of a listing, in the order of names. @throws RegistryError */
  async list(listing: ListingRequest, signal: AbortSignal): Promise<ObjectListing> {
    const { prefix, startAfter, delimiter, maxKeys, continuationToken } = listing;
    const query = new URLSearchParams({
      'list-type': '2',
      prefix,
      ...(startAfter !== undefined && { 'start-after': startAfter }),
      ...(delimiter && { delimiter }),
      ...(maxKeys !== undefined && { 'max-keys': String(maxKeys) }),
      ...(continuationToken !== undefined && { 'continuation-token': continuationToken }),
    });
    return this.#repeat(`?${query.toString()}`, { method: 'GET' }, signal, async (response) => {
      if (!response.ok) throw this.#unavailable(`does not list objects: status ${response.status}`);
      const content = await readAtMost(response, MAX_LISTING_BYTES, signal);
      return readObjectListing(Buffer.from(content).toString('utf8'));
    });
  }

  /** Whatever is sent here may be sent twice: a response counts once it was read to its end. */
  async #repeat<Result>(
    path: string,
    request: ObjectRequest,
    signal: AbortSignal,
    read: (response: Response) => Result | Promise<Result>,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt += 1)
      try {
        const response = await this.#send(path, request, signal);
        try {
          return await read(response);
        } finally {
          if (!response.bodyUsed) await response.body?.cancel();
        }
      } catch (error) {
        const isPassing = error instanceof RegistryError && error.code === 'STORE_UNAVAILABLE';
        if (!isPassing || attempt >= ATTEMPTS) throw error;
        await wait(growingPauseMs(attempt - 1, RETRY), undefined, { signal });
      }
  }

  #unavailable(what: string): RegistryError {
    return new RegistryError('STORE_UNAVAILABLE', `${this.#description} ${what}.`);
  }

  /** @returns a success; 404 of what is read or deleted; 409 and 412 of what is created */
  async #send(
    path: string,
    { method, body, headers = {} }: ObjectRequest,
    signal: AbortSignal,
  ): Promise<Response> {
    signal.throwIfAborted();
    const signed = await this.#sign(path, method, body, headers);
    const response = await fetch(`${this.#bucket}${path}`, {
      method,
      headers: signed,
      ...(body && { body }),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    }).catch((error: unknown) => {
      if (signal.aborted) throw signal.reason;
      throw new RegistryError('STORE_UNAVAILABLE', `${this.#description} did not respond.`, { cause: error });
    });
    if (response.ok || ('if-none-match' in headers && [409, 412].includes(response.status))) return response;
    const failure = await objectFailure(response, this.#description, signal);
    // What is to be written is never missing: a proxy says that, or another server.
    const isAbsent = response.status === 404 && method !== 'PUT' && failure.code === 'STORE_UNAVAILABLE';
    if (isAbsent) return response;
    throw failure;
  }

  async #sign(
    path: string,
    method: string,
    body: Uint8Array | undefined,
    headers: Readonly<Record<string, string>>,
  ): Promise<Headers> {
    const { accessKeyId, secretAccessKey, sessionToken, region } = await this.#credentials();
    const signer = new AwsV4Signer({
      url: `${this.#bucket}${path}`,
      method,
      headers: { ...headers, 'x-amz-content-sha256': digestOf(body ?? '') },
      accessKeyId,
      secretAccessKey,
      service: 's3',
      cache: this.#signingKeys,
      ...(sessionToken !== undefined && { sessionToken }),
      ...(region !== undefined && { region }),
    });
    const signed = await signer.sign();
    for (const oldest of this.#signingKeys.keys())
      if (this.#signingKeys.size > MAX_SIGNING_KEYS) this.#signingKeys.delete(oldest);
    return signed.headers;
  }
}
