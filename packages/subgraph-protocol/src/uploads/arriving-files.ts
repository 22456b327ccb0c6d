import type { Readable } from 'node:stream';

/** A file that is arriving. To be read, or to be dropped by `resume()`: the next one comes after it. */
export interface ArrivingFile {
  readonly filename: string;
  readonly mediaType: string;
  readonly bytes: Readable;
}

/** What may be wrong with the parts of an upload; codes of the graph. */
export type UploadProblem = 'BAD_REQUEST' | 'PAYLOAD_TOO_LARGE' | 'UPLOAD_MISSING' | 'UPLOAD_OUT_OF_ORDER';

/** Makes the error for a problem, with a message for the client. */
export type UploadErrorFactory = (problem: UploadProblem, message: string) => Error;

const MAX_NAME_CHARACTERS = 100;

interface Waiting {
  readonly key: string;
  readonly resolve: (file: ArrivingFile) => void;
  readonly reject: (failure: Error) => void;
}

/**
 * The files of one request, as they arrive. Of a file that no one has taken yet a few kilobytes are held: then the parser
 * stops, and with it the client's socket.
 */
export class ArrivingFiles {
  readonly keys: readonly string[];
  #arrived = 0;
  readonly #dropped = new Set<string>();
  /** Those that have begun. Small ones wait side by side; a larger one stops the parser. */
  readonly #begun = new Map<string, ArrivingFile>();
  #waiting: readonly Waiting[] = [];
  #failure: Error | undefined;
  readonly #onFailure = new Set<(failure: Error) => void>();
  readonly #errorOf: UploadErrorFactory;

  /** @param keys of the map, in its order */
  constructor(keys: readonly string[], errorOf: UploadErrorFactory) {
    this.keys = keys;
    this.#errorOf = errorOf;
  }

  /** A part with a file begins. Files come in the order of the map, so that each finds the request that it goes to. */
  arrive(key: string, file: ArrivingFile): void {
    const expected = this.keys[this.#arrived];
    if (key !== expected) {
      file.bytes.resume();
      return this.fail(this.#misplaced(key, expected));
    }
    this.#arrived += 1;
    if (this.#failure) file.bytes.resume();
    else this.#handOver(key, file);
  }

  /** No further part comes. */
  end(): void {
    const missing = this.keys[this.#arrived];
    if (missing !== undefined)
      this.fail(this.#errorOf('UPLOAD_MISSING', `The file "${missing}" of the map is missing.`));
  }

  /** Ends the request. The first failure counts. */
  fail(failure: Error): void {
    if (this.#failure) return;
    this.#failure = failure;
    for (const file of this.#begun.values()) file.bytes.resume();
    for (const { reject } of this.#waiting) reject(failure);
    this.#waiting = [];
    for (const callback of this.#onFailure) callback(failure);
  }

  /** Calls back once when something is wrong with the files, with the reason. All that ask are called. */
  onFailure(callback: (failure: Error) => void): void {
    this.#onFailure.add(callback);
    if (this.#failure) callback(this.#failure);
  }

  /** Says that no one takes these files (any more): what is left of them is read to its end and dropped. */
  drop(keys: readonly string[]): void {
    for (const key of keys) {
      this.#dropped.add(key);
      this.#begun.get(key)?.bytes.resume();
    }
  }

  /** Waits for a file. @throws Error for what is wrong with the files */
  take(key: string): Promise<ArrivingFile> {
    if (this.#failure) return Promise.reject(this.#failure);
    const begun = this.#begun.get(key);
    if (begun) return Promise.resolve(begun);
    return new Promise((resolve, reject) => {
      this.#waiting = [...this.#waiting, { key, resolve, reject }];
    });
  }

  #misplaced(key: string, expected: string | undefined): Error {
    const name = key.slice(0, MAX_NAME_CHARACTERS);
    if (!this.keys.includes(key))
      return this.#errorOf('BAD_REQUEST', `The part "${name}" is not in the map.`);
    const wanted = expected === undefined ? 'it has come before' : `"${expected}" comes before it`;
    return this.#errorOf('UPLOAD_OUT_OF_ORDER', `The file "${name}" is out of order: ${wanted} in the map.`);
  }

  #handOver(key: string, file: ArrivingFile): void {
    this.#begun.set(key, file);
    if (this.#dropped.has(key)) file.bytes.resume();
    const taker = this.#waiting.find((waiting) => waiting.key === key);
    this.#waiting = this.#waiting.filter((waiting) => waiting !== taker);
    taker?.resolve(file);
  }
}

/** Reads what is left of a body, so that its sender can read the response. */
export function drain(body: Readable): void {
  body.unpipe();
  body.resume();
}
