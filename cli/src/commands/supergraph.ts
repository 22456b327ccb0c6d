import { Command } from 'commander';
import type { CliCommand } from '../cli-command.ts';
import { runSupergraphCommand } from '../supergraph/supergraph-command.ts';

/** `trellis supergraph`: composition and its checks, which read the rest of the line themselves. */
export function supergraphCommand(): CliCommand {
  const command = new Command('supergraph')
    .argument('[arguments...]')
    .helpOption(false)
    .passThroughOptions()
    .allowUnknownOption()
    .action(async (args: readonly string[]) => {
      process.exitCode = await runSupergraphCommand(args, {
        out: (text) => process.stdout.write(text),
        error: (text) => process.stderr.write(text),
      });
    });
  return {
    command,
    phrases: [
      'compose',
      'compose --config',
      'compose --output',
      'check',
      'check --against',
      'check --config',
    ],
  };
}
