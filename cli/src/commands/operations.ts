import { FileProblems, operationsText, pruneUsageFiles, readOperations } from '@trellis/composition';
import { Command } from 'commander';
import type { CliCommand } from '../cli-command.ts';
import { listedOperations, operationsTable } from '../operations/list-operations.ts';
import { writeFileAtomically } from '../supergraph/write-file-atomically.ts';

interface Source {
  readonly from: readonly string[];
  readonly json?: boolean;
}

interface PruneFlags {
  readonly from: string;
  readonly olderThan: string;
  readonly json?: boolean;
}

const DAY_MS = 86_400_000;

/** `trellis operations`: what clients send, as gateways have recorded it. */
export function operationsCommand(): CliCommand {
  const command = new Command('operations').description(
    'Reads the operations that gateways have recorded (usage.directory of gateway.yaml).',
  );
  withSource(command.command('list'))
    .description('a table of operations: requests, errors, latency, clients')
    .action(
      attempt(async ({ from, json }: Source) => {
        const recorded = await readOperations(from);
        process.stdout.write(json ? jsonLine(listedOperations(recorded)) : operationsTable(recorded));
      }),
    );
  withSource(command.command('export'))
    .description('one file of all, for trellis check --operations')
    .option('--output <FILE>', 'where it goes; default: the standard output')
    .action(
      attempt(async ({ from, output, json }: Source & { readonly output?: string }) => {
        const recorded = await readOperations(from);
        const text = operationsText(recorded);
        if (output === undefined) process.stdout.write(text);
        else await writeFileAtomically(output, text);
        if (json && output !== undefined)
          process.stdout.write(jsonLine({ output, operations: recorded.operations.length }));
      }),
    );
  command
    .command('prune')
    .description('deletes what is old')
    .requiredOption('--from <FOLDER>', 'usage.directory of gateway.yaml')
    .option('--older-than <DAYS>', 'days', '90')
    .option('--json', 'as an object')
    .action(
      attempt(async ({ from, olderThan, json }: PruneFlags) => {
        if (!/^\d+$/.test(olderThan))
          command.error(`--older-than takes a number of days, not "${olderThan}".`);
        const deleted = await pruneUsageFiles(from, new Date(Date.now() - Number(olderThan) * DAY_MS));
        process.stdout.write(json ? jsonLine({ deleted }) : `${deleted} files deleted.\n`);
      }),
    );
  return { command };
}

function jsonLine(result: object): string {
  return `${JSON.stringify(result)}\n`;
}

function withSource(command: Command): Command {
  return command
    .option('--json', 'as an object')
    .requiredOption(
      '--from <FOLDER|FILE>',
      'usage.directory of gateway.yaml, or a file of operations; may be repeated',
      (path: string, before: readonly string[] | undefined) => [...(before ?? []), path],
    );
}

/** What is wrong with files is said in words. */
function attempt<Options>(action: (options: Options) => Promise<void>): (options: Options) => Promise<void> {
  return async (options) => {
    try {
      await action(options);
    } catch (error) {
      if (!isOfFiles(error)) throw error;
      process.stderr.write(`${error.message}\n`);
      process.exitCode = 1;
    }
  };
}

function isOfFiles(error: unknown): error is FileProblems | NodeJS.ErrnoException {
  return error instanceof FileProblems || (error instanceof Error && 'syscall' in error);
}
