import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { watchFile } from '../watch-file.ts';

/** Where the text of a supergraph comes from. */
export interface SupergraphSource {
  /** For logs: a path or a URL without its query. */
  readonly description: string;
  /**
   * Reads the text.
   *
   * @returns nothing when it is known not to have changed since the last reading
   * @throws when it can't be read
   */
  read(signal: AbortSignal): Promise<string | undefined>;
  /**
   * How long the first reading is tried again where it fails for another reason than what was read, milliseconds: who is
   * asked may be starting too. @default 0
   */
  readonly patienceMs?: number;
  /** How often reading again is worthwhile, milliseconds. @default 5000 */
  readonly pollMs?: number;
  /** Calls back when reading again is worthwhile, as far as the source knows. @returns ends it */
  watch?(changed: () => void): () => void;
}

/** A supergraph in a file. */
export function createFileSource(path: string): SupergraphSource {
  const file = resolve(path);
  return {
    description: file,
    read: (signal) => readFile(file, { encoding: 'utf8', signal }),
    watch: (changed) => watchFile(file, changed),
  };
}
