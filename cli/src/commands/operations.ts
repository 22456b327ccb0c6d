import {
  formatDiagnostic,
  operationsText,
  printable,
  type RecordedOperations,
  type UsageWindow,
} from '@trellis/composition';
import { Command } from 'commander';
import type { CliCommand } from '../cli-command.ts';
import { commandEnvironment } from '../command-environment.ts';
import { attemptOperations, jsonLine, pastMomentOf } from '../operations/attempt-operations.ts';
import { addListCommands } from '../operations/list-commands.ts';
import { listedOperations, operationsTable } from '../operations/list-operations.ts';
import { listsTable, listedLists } from '../operations/list-lists.ts';
import { OperationLists } from '../operations/operation-lists.ts';
import { OperationsProblem } from '../recorded/operations-problem.ts';
import { pruneRecorded, readRecorded } from '../recorded/read-recorded.ts';
import { isDatabase } from '../recorded/is-database.ts';
import { createUsageTables } from '../recorded/usage-tables.ts';
import { writeFileAtomically } from '../supergraph/write-file-atomically.ts';

interface Source {
  readonly from?: readonly string[];
  readonly since?: string;
  readonly until?: string;
  readonly json?: boolean;
}

interface PruneFlags {
  readonly from?: string;
  readonly olderThan: string;
  readonly json?: boolean;
}

/** `trellis operations`: what clients send, as gateways have recorded it, and what they may send. */
export function operationsCommand(): CliCommand {
  const command = new Command('operations').description(
    'Reads the operations that gateways have recorded, and publishes lists of those that clients may send.',
  );
  withSource(command.command('list'))
    .description('a table of operations: requests, errors, latency, clients')
    .option('--lists <FOLDER>', 'instead: the lists that were published there')
    .action(attemptOperations(list));
  withSource(command.command('export'))
    .description('one file of all, for trellis check --operations')
    .option('--output <FILE>', 'where it goes; default: the standard output')
    .action(attemptOperations(exportAll));
  command
    .command('prune')
    .description('deletes what is old')
    .option('--from <FOLDER|URL>', `usage.directory of gateway.yaml, or a database; default: ${DATABASE}`)
    .option('--older-than <DAYS>', 'days', '90')
    .option('--json', 'as an object')
    .action(attemptOperations(prune));
  command
    .command('init')
    .description('makes the tables for recorded operations in PostgreSQL, or brings them up to date')
    .option('--database <URL>', `default: ${DATABASE}`)
    .option('--json', 'as an object')
    .action(attemptOperations(init));
  addListCommands(command);
  return { command };
}

/** The variable that gateways read too. */
const DATABASE = 'USAGE_DATABASE_URL';

async function list({ lists, ...source }: Source & { readonly lists?: string }): Promise<void> {
  if (lists !== undefined) {
    const all = await new OperationLists(lists).all();
    process.stdout.write(source.json ? jsonLine(listedLists(all)) : listsTable(all));
    return;
  }
  const recorded = await readWarned(source, windowOf(source));
  process.stdout.write(source.json ? jsonLine(listedOperations(recorded)) : operationsTable(recorded));
}

/** Files that are damaged are named on the standard error. */
async function readWarned(source: Source, window: UsageWindow): Promise<RecordedOperations> {
  const recorded = await readRecorded(sourcesOf(source), window);
  for (const problem of recorded.problems ?? [])
    process.stderr.write(`warning: ${printable(formatDiagnostic(problem))}\n`);
  return recorded;
}

async function exportAll({ output, ...source }: Source & { readonly output?: string }): Promise<void> {
  const window = windowOf(source);
  const recorded = await readWarned(source, window);
  const text = operationsText(recorded, window);
  if (output === undefined) process.stdout.write(text);
  else await writeFileAtomically(output, text);
  if (source.json && output !== undefined)
    process.stdout.write(jsonLine({ output, operations: recorded.operations.length }));
}

async function prune({ from, olderThan, json }: PruneFlags): Promise<void> {
  if (!/^\d{1,5}$/.test(olderThan))
    throw new OperationsProblem('INVALID_OPTION', `--older-than takes a number of days, not "${olderThan}".`);
  const [source = ''] = sourcesOf({ ...(from !== undefined && { from: [from] }) });
  const deleted = await pruneRecorded(source, pastMomentOf('--older-than', `${olderThan}d`));
  const what = isDatabase(source) ? 'intervals' : 'files';
  process.stdout.write(json ? jsonLine({ deleted }) : `${deleted} ${what} deleted.\n`);
}

async function init({
  database = commandEnvironment()[DATABASE],
  json,
}: {
  readonly database?: string;
  readonly json?: boolean;
}): Promise<void> {
  if (database === undefined || !isDatabase(database))
    throw new OperationsProblem(
      'INVALID_OPTION',
      `Say which database: --database postgresql://…, or ${DATABASE}.`,
    );
  const applied = await createUsageTables(database);
  const done = applied.length > 0 ? `Made the tables: ${applied.join(', ')}.` : 'The tables are up to date.';
  process.stdout.write(json ? jsonLine({ applied }) : `${done}\n`);
}

function sourcesOf({ from = [] }: Pick<Source, 'from'>): readonly string[] {
  if (from.length > 0) return from;
  const database = commandEnvironment()[DATABASE];
  if (database !== undefined && database !== '') return [database];
  throw new OperationsProblem(
    'INVALID_OPTION',
    `Say where the operations are: --from FOLDER, FILE or postgresql://…, or ${DATABASE}.`,
  );
}

function windowOf({ since, until }: Source): UsageWindow {
  return {
    ...(since !== undefined && { from: pastMomentOf('--since', since) }),
    ...(until !== undefined && { to: pastMomentOf('--until', until) }),
  };
}

function withSource(command: Command): Command {
  return command
    .option('--json', 'as an object')
    .option(
      '--from <FOLDER|FILE|URL>',
      `usage.directory of gateway.yaml, a file, or a database; may be repeated; default: ${DATABASE}`,
      (path: string, before: readonly string[] | undefined) => [...(before ?? []), path],
    )
    .option('--since <TIME>', '2026-11-23, 2026-11-23T08:00:00Z, or 30d ago; default: all')
    .option('--until <TIME>', 'the same; default: now');
}
