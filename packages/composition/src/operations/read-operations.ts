import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { ownCodes, type Diagnostic } from '../diagnostic.ts';
import { FileProblems } from '../file-problems.ts';
import { OperationsMerge } from './operations-merge.ts';
import { operationSchema } from './operations-schema.ts';
import { operationOf, readOperationsFile, type ReadFile } from './read-operations-file.ts';
import type { RecordedOperation, RecordedOperations } from './recorded-operation.ts';
import { listUsageFiles } from './usage-files.ts';
import type { UsageWindow } from './usage-window.ts';

/**
 * Reads files of recorded operations, each with or without gzip: JSON lines under a header
 * `{"format":"trellis-operations/1"}`, requests of OTLP as a collector's file exporter writes them, Apollo's persisted-query manifest, or
 * Relay's map of ids to texts. Operations of manifests have no clients: they are live. A folder stands for the files that gateways have
 * written there: one that is damaged is left out as far as it is, with a problem, and what was recorded is incomplete.
 *
 * @param window intervals outside of it are passed over. @default all
 * @throws FileProblems with every line that is none, of files that were named
 */
export async function readOperations(
  files: readonly string[],
  window: UsageWindow = {},
): Promise<RecordedOperations> {
  const merge = new OperationsMerge();
  for (const path of files) {
    if ((await stat(path)).isDirectory()) await addFolder(merge, path, window);
    else merge.add(wholeOf(await readOperationsFile(path, path, window)));
  }
  return merge.result;
}

/** One line of a file of recorded operations. @throws SyntaxError, or z.ZodError, where it is none */
export function operationOfLine(line: unknown): RecordedOperation {
  return operationOf(operationSchema.parse(line));
}

/** One by one: a month has thousands. Problems name a file without its folder, which readers of a report need not know. */
async function addFolder(merge: OperationsMerge, folder: string, window: UsageWindow): Promise<void> {
  const { files, killed } = await listUsageFiles(folder);
  merge.add({ operations: [], isComplete: killed === 0 });
  for (const file of files) {
    const name = basename(file);
    const read = await readOperationsFile(file, name, window).catch((error: unknown) => lost(name, error));
    merge.add({
      ...read,
      isComplete: read.isComplete && read.problems.length === 0,
      problems: briefly(read),
    });
  }
}

/** It was deleted meanwhile, or may not be read. */
function lost(source: string, error: unknown): ReadFile {
  if (!(error instanceof Error && 'syscall' in error)) throw error;
  const { code = error.name } = error as NodeJS.ErrnoException; // of node:fs
  const problem = {
    code: ownCodes.INVALID_OPERATIONS,
    message: `could not be read (${code})`,
    locations: [{ source }],
  };
  return { operations: [], isComplete: false, problems: [problem] };
}

/** Someone named the file, and can name another one. */
function wholeOf(read: ReadFile): RecordedOperations {
  if (read.problems.length > 0) throw new FileProblems(read.problems);
  return read;
}

/** One for each file: all lines of a file may be of a newer version. */
function briefly({ problems }: ReadFile): readonly Diagnostic[] {
  const [first, ...others] = problems;
  if (!first) return [];
  const further = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return [{ ...first, message: `${first.message}${further}. What is missing is not taken for unused.` }];
}
