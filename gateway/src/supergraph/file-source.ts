import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { watchFile } from '../watch-file.ts';
import type { SupergraphSource } from './supergraph-source.ts';

/** A supergraph in a file. */
export function createFileSource(path: string): SupergraphSource {
  const file = resolve(path);
  return {
    description: file,
    read: (signal) => readFile(file, { encoding: 'utf8', signal }),
    watch: (changed) => watchFile(file, changed),
  };
}
