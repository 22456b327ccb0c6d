import { stat } from 'node:fs/promises';
import {
  OperationsMerge,
  pruneUsageFiles,
  readOperations,
  type RecordedOperations,
  type UsageWindow,
} from '@trellis/composition';
import { isDatabase } from './is-database.ts';
import { OperationsProblem } from './operations-problem.ts';

/**
 * Adds up recorded operations: of folders and files, and of databases (`postgresql://…`).
 *
 * @param window intervals outside of it are passed over. @default all
 * @throws FileProblems; OperationsProblem; Error of node:fs
 */
export async function readRecorded(
  sources: readonly string[],
  window: UsageWindow = {},
): Promise<RecordedOperations> {
  const merge = new OperationsMerge();
  merge.add(
    await readOperations(
      sources.filter((source) => !isDatabase(source)),
      window,
    ),
  );
  const databases = sources.filter(isDatabase);
  if (databases.length === 0) return merge.result;
  const { readUsageTables } = await import('./usage-tables.ts'); // most checks read files, and need no driver
  for (const database of databases) merge.add(await readUsageTables(database, window));
  return merge.result;
}

/**
 * Deletes what is older.
 *
 * @returns how many files, or intervals of a database
 * @throws OperationsProblem NOT_PRUNABLE, and those of databases; Error of node:fs
 */
export async function pruneRecorded(source: string, before: Date): Promise<number> {
  if (isDatabase(source)) {
    const { pruneUsageTables } = await import('./usage-tables.ts');
    return pruneUsageTables(source, before);
  }
  if ((await stat(source)).isDirectory()) return pruneUsageFiles(source, before);
  throw new OperationsProblem(
    'NOT_PRUNABLE',
    `${source} is a file: what a collector or an export has written is deleted where it was written.`,
  );
}
