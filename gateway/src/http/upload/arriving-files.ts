import type { Readable } from 'node:stream';
import { rejected } from '../../errors.ts';
import type { ArrivingFile, Uploads } from '../../request/uploads.ts';

interface Waiting {
  readonly key: string;
  readonly resolve: (file: ArrivingFile) => void;
  readonly reject: (failure: Error) => void;
}

/**
 * The files of one request, as they arrive. Of a file that no one has taken yet a few kilobytes are held: then the parser
 * stops, and with it the client's socket.
 */
export class ArrivingFiles implements Uploads {
  readonly keys: readonly string[];
  #arrived = 0;
  readonly #dropped = new Set<string>();
  /** Those that have begun. Small ones wait side by side; a larger one stops the parser. */
  readonly #begun = new Map<string, ArrivingFile>();
  #waiting: readonly Waiting[] = [];
  #failure: Error | undefined;
  #onFailure: ((failure: Error) => void) | undefined;

  /** @param keys of the map, in its order */
  constructor(keys: readonly string[]) {
    this.keys = keys;
  }

  /** A part with a file begins. Files come in the order of the map, so that each finds the request that it goes to. */
  arrive(key: string, file: ArrivingFile): void {
    const expected = this.keys[this.#arrived];
    if (key !== expected) {
      file.bytes.resume();
      return this.fail(this.#isKnown(key) ? outOfOrder(key, expected) : notInMap(key));
    }
    this.#arrived += 1;
    if (this.#failure) file.bytes.resume();
    else this.#handOver(key, file);
  }

  /** No further part comes. */
  end(): void {
    const missing = this.keys[this.#arrived];
    if (missing !== undefined)
      this.fail(rejected('UPLOAD_MISSING', `The file "${missing}" of the map is missing.`));
  }

  /** Ends the request. The first failure counts. */
  fail(failure: Error): void {
    if (this.#failure) return;
    this.#failure = failure;
    for (const file of this.#begun.values()) file.bytes.resume();
    for (const { reject } of this.#waiting) reject(failure);
    this.#waiting = [];
    this.#onFailure?.(failure);
  }

  onFailure(callback: (failure: Error) => void): void {
    this.#onFailure = callback;
    if (this.#failure) callback(this.#failure);
  }

  drop(keys: readonly string[]): void {
    for (const key of keys) {
      this.#dropped.add(key);
      this.#begun.get(key)?.bytes.resume();
    }
  }

  take(key: string): Promise<ArrivingFile> {
    if (this.#failure) return Promise.reject(this.#failure);
    const begun = this.#begun.get(key);
    if (begun) return Promise.resolve(begun);
    return new Promise((resolve, reject) => {
      this.#waiting = [...this.#waiting, { key, resolve, reject }];
    });
  }

  #isKnown(key: string): boolean {
    return this.keys.includes(key);
  }

  #handOver(key: string, file: ArrivingFile): void {
    this.#begun.set(key, file);
    if (this.#dropped.has(key)) file.bytes.resume();
    const taker = this.#waiting.find((waiting) => waiting.key === key);
    this.#waiting = this.#waiting.filter((waiting) => waiting !== taker);
    taker?.resolve(file);
  }
}

function outOfOrder(key: string, expected: string | undefined): Error {
  const wanted = expected === undefined ? 'it has come before' : `"${expected}" comes before it`;
  return rejected('UPLOAD_OUT_OF_ORDER', `The file "${nameOf(key)}" is out of order: ${wanted} in the map.`);
}

function notInMap(key: string): Error {
  return rejected('BAD_REQUEST', `The part "${nameOf(key)}" is not in the map.`);
}

const MAX_NAME_CHARACTERS = 100;

function nameOf(key: string): string {
  return key.slice(0, MAX_NAME_CHARACTERS);
}

/** Reads what is left of a body, so that its sender can read the response. */
export function drain(body: Readable): void {
  body.unpipe();
  body.resume();
}
