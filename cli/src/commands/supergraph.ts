import { secondComposer } from '@trellis/composition/second-composer';
import { Command } from 'commander';
import type { CliCommand } from '../cli-command.ts';
import { commandOptions } from '../supergraph/command-options.ts';
import { standardOutput } from '../supergraph/standard-output.ts';
import { usage } from '../supergraph/usage.ts';

type Subcommand = keyof typeof commandOptions;
const subcommands = Object.keys(commandOptions) as readonly Subcommand[]; // its own keys

/** `trellis supergraph`: composition and its checks, which read the rest of the line themselves. */
export function supergraphCommand(): CliCommand {
  return {
    command: passingCommand('supergraph', (args) => run(args, calledAs())),
    help: () =>
      'The same commands with a word before them, as scripts have it: supergraph compose, supergraph check …',
    phrases: subcommands.flatMap((name) => [name, ...optionsOf(name).map((option) => `${name} ${option}`)]),
  };
}

/** npm names the script that it runs; npx is a script of its own name. */
function calledAs(): string {
  return process.env['npm_lifecycle_event'] === 'supergraph' ? 'npm run supergraph --' : 'trellis supergraph';
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

/** The second composer loads in its thread while this one loads the first. */
async function run(args: readonly string[], program: string): Promise<void> {
  if (mayCompareComposers(args)) secondComposer.start();
  const { runSupergraphCommand } = await import('../supergraph/supergraph-command.ts');
  process.exitCode = await runSupergraphCommand(args, standardOutput(), program);
}

/** What composes compares composers where nothing else is said; a call that turns out to be wrong has started a thread for nothing. */
function mayCompareComposers(args: readonly string[]): boolean {
  const [command = ''] = args;
  if (!['compose', 'check', 'lint'].includes(command) || args.includes('--help') || args.includes('-h'))
    return false;
  return !/ --composers[= ]apollo( |$)/.test(` ${args.join(' ')}`);
}
