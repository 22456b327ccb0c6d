import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExampleOperation } from '@trellis/explorer';

const MAX_EXAMPLES = 50;
const MAX_CHARACTERS = 20_000;

interface Log {
  readonly warn: (fields: object, message: string) => void;
}

/** Reads the operations of a folder. A folder that can't be read has none, and is logged. */
export async function readExamples(folder: string, log: Log): Promise<readonly ExampleOperation[]> {
  try {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.graphql')).toSorted();
    const read = names.slice(0, MAX_EXAMPLES).map(async (name) => {
      const query = (await readFile(join(folder, name), 'utf8')).slice(0, MAX_CHARACTERS);
      return { title: titleOf(query) ?? name, query };
    });
    return await Promise.all(read);
  } catch (error) {
    log.warn({ err: error, setting: 'pages.examples' }, 'examples of the explorer cannot be read');
    return [];
  }
}

function titleOf(query: string): string | undefined {
  return /^#\s*(\S.*)/.exec(query)?.[1];
}
