import { FileProblems, printable, SupergraphConfigError } from '@trellis/composition';
import { RegistryError, registryErrors } from '@trellis/registry';
import { Command } from 'commander';
import { composersOption } from './composers-option.ts';
import type { CliCommand } from '../cli-command.ts';
import { contractCommand, type ContractCall } from '../supergraph/contract-command.ts';
import { printableFailure } from '../supergraph/named-file.ts';

/** `trellis contract`: the supergraph of a part of the graph, for other clients. */
export function contractingCommand(): CliCommand {
  const command = new Command('contract')
    .description('Composes the supergraph of a contract: what its clients do not see is @inaccessible.')
    .argument(
      '[NAME]',
      'a contract of supergraph.yaml or checks.yaml, or with --graph of the release; or any name, with --include or --exclude; default: lists them',
    )
    .option('--include <TAG>', 'only what has one of these tags is shown; may be repeated', collect)
    .option('--exclude <TAG>', 'what has one of these tags is hidden; may be repeated', collect)
    .option('--config <FILE>', 'the configuration of the graph', 'supergraph.yaml')
    .addOption(composersOption())
    .option('--graph <NAME@ENVIRONMENT>', 'what is published, in the place of a configuration')
    .option('--registry <PLACE>', 'a folder, or an address; default: TRELLIS_REGISTRY')
    .option('--trust <FILE>', 'JWK set of the keys that sign; default: TRELLIS_REGISTRY_TRUST')
    .option('--output <FILE>', 'where the result goes; default: the standard output')
    .action((name: string | undefined, flags: Omit<ContractCall, 'name'>) => run({ name, ...flags }));
  return { command };
}

function collect(tag: string, before: readonly string[] = []): readonly string[] {
  return [...before, tag];
}

async function run(call: ContractCall): Promise<void> {
  try {
    const outcome = await contractCommand(call, {
      out: (text) => process.stdout.write(text),
      error: (text) => process.stderr.write(text),
    });
    if (outcome === 'failed') process.exitCode = 1;
  } catch (error) {
    if (error instanceof RegistryError) {
      process.stderr.write(`${error.code}: ${printable(error.message)}\n`);
      process.exitCode = registryErrors[error.code].exit;
      return;
    }
    const isExpected =
      error instanceof FileProblems || error instanceof SupergraphConfigError || isOfFiles(error);
    if (!isExpected) throw error;
    process.stderr.write(`${printableFailure(error)}\n`);
    process.exitCode = 1;
  }
}

function isOfFiles(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
