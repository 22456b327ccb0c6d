import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  STATEMENTS_DEFINED,
  type Statement,
  type StatementDescription,
  type StatementsDefined,
} from '@trellis/postgres';
import { tsImport } from 'tsx/esm/api';
import { nameOf } from './statement-files.ts';

/** The statements of each file by the file's name. */
export type LoadedStatements = ReadonlyMap<string, readonly Statement<StatementDescription>[]>;

/**
 * Loads files that define statements.
 *
 * @throws Error when a file does not define its statements under its own name
 */
export async function loadStatements(
  repository: string,
  files: readonly string[],
): Promise<LoadedStatements> {
  const loaded = new Map<string, readonly Statement<StatementDescription>[]>();
  const collect = (message: unknown): void => {
    const { file, statements } = message as StatementsDefined; // of this channel
    loaded.set(file, statements);
  };
  subscribe(STATEMENTS_DEFINED, collect);
  try {
    for (const file of files) {
      await tsImport(pathToFileURL(join(repository, file)).href, import.meta.url);
      if (!loaded.has(nameOf(file))) throw new Error(`${file} defines no statements as '${nameOf(file)}'.`);
    }
  } finally {
    unsubscribe(STATEMENTS_DEFINED, collect);
  }
  return loaded;
}
