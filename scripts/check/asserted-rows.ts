import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from '../programs/files-below.ts';

/** Deployables, and folders of packages, whose SQL has types: all that ship SQL. Relative to the repository. */
export const sqlFolders: readonly string[] = ['services', 'packages', 'auth-server', 'cli', 'gateway'];

/** The one file that gives rows their types: those of the generated table, or those that it checks. */
const TYPES_ROWS = 'packages/postgres/src/statements.ts';

const NOT_OURS = /(?:^|\/)(?:node_modules|dist|generated)\//;
const NOT_SHIPPED = /\.test\.ts$|(?:^|\/)(?:testing|proofs)\//;

const READS_ROWS = /\bawait\b.*\bquery\(.*\.rows\b|\{ rows \} = await|\{ rows \}: \w+ = await/;
/** A schema checks them before anyone reads them. */
const PARSES_ROWS = /\.parse\(\(await [\w.#]+\.query\(.*\)\)\.rows\)/;

/**
 * Finds rows of SQL statements whose type is unknown: `query<Row>(…)` claims one, and `.rows` of pg is `any`. A schema may parse them
 * where they are read.
 *
 * @param directory the repository
 * @param folders relative to it
 * @returns what is wrong, one sentence each
 */
export function checkAssertedRows(directory: string, folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) =>
    filesBelow(directory, folder)
      .filter((path) => path.endsWith('.ts') && !NOT_OURS.test(path) && path !== TYPES_ROWS)
      .toSorted()
      .flatMap((path) => findAssertedRows(path, readFileSync(join(directory, path), 'utf8'))),
  );
}

/** @returns what is wrong in one file, one sentence each */
export function findAssertedRows(path: string, text: string): readonly string[] {
  const isShipped = !NOT_SHIPPED.test(path);
  return text.split('\n').flatMap((line, index) => {
    const place = `${path}:${index + 1}`;
    if (/\.query</.test(line))
      return [`${place} asserts the type of rows. Use defineStatements, or queryChecked.`];
    if (isShipped && READS_ROWS.test(line) && !PARSES_ROWS.test(line))
      return [`${place} reads rows without a type. Use queryRows, or queryChecked.`];
    return [];
  });
}
