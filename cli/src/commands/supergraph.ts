import { Command } from 'commander';
import type { CliCommand } from '../cli-command.ts';
import { standardOutput } from '../supergraph/standard-output.ts';
import { commandOptions } from '../supergraph/read-command-line.ts';
import { runSupergraphCommand, usage } from '../supergraph/supergraph-command.ts';

type Subcommand = keyof typeof commandOptions;
const subcommands = Object.keys(commandOptions) as readonly Subcommand[]; // its own keys

/** `trellis supergraph`: composition and its checks, which read the rest of the line themselves. */
export function supergraphCommand(): CliCommand {
  return {
    command: passingCommand('supergraph', (args) => run(args, 'npm run supergraph --')),
    help: () =>
      'The same commands with a word before them, as scripts have it: supergraph compose, supergraph check …',
    phrases: subcommands.flatMap((name) => [name, ...optionsOf(name).map((option) => `${name} ${option}`)]),
  };
}

/** `trellis compose` and `trellis check`: the same without a word between. */
export function compositionCommand(name: Subcommand): CliCommand {
  return {
    command: passingCommand(name, (args) => run([name, ...args], 'trellis')),
    help: () =>
      usage('trellis', [name])
        .replace(/\nExit status:[^]*/, '')
        .trim(), // the page has a list of them
    phrases: optionsOf(name),
  };
}

function optionsOf(name: Subcommand): readonly string[] {
  return commandOptions[name].map((option) => `--${option}`);
}

function passingCommand(name: string, action: (args: readonly string[]) => Promise<void>): Command {
  return new Command(name)
    .argument('[arguments...]')
    .helpOption(false)
    .passThroughOptions()
    .allowUnknownOption()
    .action(action);
}

async function run(args: readonly string[], program: string): Promise<void> {
  process.exitCode = await runSupergraphCommand(args, standardOutput(), program);
}
