import { stat } from 'node:fs/promises';
import {
  OperationsMerge,
  pruneUsageFiles,
  readOperations,
  type RecordedOperations,
  type UsageWindow,
} from '@trellis/composition';
import { OperationsProblem } from './operations-problem.ts';
import { isDatabase, pruneUsageTables, readUsageTables } from './usage-tables.ts';

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
  for (const database of sources.filter(isDatabase)) merge.add(await readUsageTables(database, window));
  return merge.result;
}

/**
 * Deletes what is older.
 *
 * @returns how many files, or intervals of a database
 * @throws OperationsProblem NOT_PRUNABLE, and those of databases; Error of node:fs
 */
export async function pruneRecorded(source: string, before: Date): Promise<number> {
  if (isDatabase(source)) return pruneUsageTables(source, before);
  if ((await stat(source)).isDirectory()) return pruneUsageFiles(source, before);
  throw new OperationsProblem(
    'NOT_PRUNABLE',
    `${source} is a file: what a collector or an export has written is deleted where it was written.`,
  );
}
