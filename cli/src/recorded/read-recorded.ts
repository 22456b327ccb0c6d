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

/** Reads the recorded operations of a database. @throws OperationsProblem */
export type ReadUsageTables = (database: string, window: UsageWindow) => Promise<RecordedOperations>;

/** Most checks read files, and need no driver. */
const loadAndRead: ReadUsageTables = async (database, window) =>
  (await import('./usage-tables.ts')).readUsageTables(database, window);

/**
 * Adds up recorded operations: of folders and files, and of databases (`postgresql://…`).
 *
 * @param window intervals outside of it are passed over. @default all
 * @param readTables @default loads the driver when there is a database
 * @throws FileProblems; OperationsProblem; Error of node:fs
 */
export async function readRecorded(
  sources: readonly string[],
  window: UsageWindow = {},
  readTables: ReadUsageTables = loadAndRead,
): Promise<RecordedOperations> {
  const merge = new OperationsMerge();
  merge.add(
    await readOperations(
      sources.filter((source) => !isDatabase(source)),
      window,
    ),
  );
  for (const database of sources.filter(isDatabase)) merge.add(await readTables(database, window));
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
