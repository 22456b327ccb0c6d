import type { Readable } from 'node:stream';

/** Stands for a file in the variables of a request. In JSON it is null, as the multipart request specification says. */
export class FilePlaceholder {
  /** The name of its part. */
  readonly key: string;

  constructor(key: string) {
    this.key = key;
  }

  toJSON(): null {
    return null;
  }
}

/** A file that is arriving. To be read, or to be dropped by `resume()`: the next one comes after it. */
export interface ArrivingFile {
  readonly filename: string;
  readonly mediaType: string;
  readonly bytes: Readable;
}

/** The files of a request while they arrive, one behind the other. None of them is held. */
export interface Uploads {
  /** The names of their parts, in the order in which they come. */
  readonly keys: readonly string[];
  /** Says that no one takes these files (any more): what is left of them is read to its end and dropped. */
  drop(keys: readonly string[]): void;
  /** Waits for a file. @throws RequestError for what is wrong with the files */
  take(key: string): Promise<ArrivingFile>;
  /** Calls back once when something is wrong with the files, with the reason. */
  onFailure(callback: (failure: Error) => void): void;
}

/** Where files stand in a value, in the order of its members. */
export function* filesIn(
  value: unknown,
  path: readonly (string | number)[] = [],
): Iterable<{ readonly file: FilePlaceholder; readonly path: readonly (string | number)[] }> {
  if (value instanceof FilePlaceholder) yield { file: value, path };
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* filesIn(item, [...path, index]);
  else if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value)) yield* filesIn(member, [...path, name]);
}
