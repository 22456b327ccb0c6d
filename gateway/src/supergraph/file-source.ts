import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { SupergraphSource } from './supergraph-source.ts';

/**
 * A supergraph in a file. The directory is watched and not the file: a file that is replaced by a rename is another one,
 * and a watcher would go on looking at the old.
 */
export function createFileSource(path: string): SupergraphSource {
  const file = resolve(path);
  return {
    description: file,
    read: (signal) => readFile(file, { encoding: 'utf8', signal }),
    watch(changed) {
      const watcher = watch(dirname(file), { persistent: false }, (_event, name) => {
        // Kubernetes mounts a directory whose files are links into one that is replaced as a whole: another name changes.
        if (name === null || name === basename(file) || name.startsWith('..')) changed();
      });
      watcher.on('error', () => watcher.close()); // polling goes on without it
      return () => watcher.close();
    },
  };
}
