import { Command, CommanderError } from 'commander';
import { cliCommands } from './cli-commands.ts';

/** Exit status for a call that makes no sense: EX_USAGE of sysexits(3). */
const EXIT_USAGE = 64;

/**
 * Runs `trellis` with its arguments. Help goes to standard output; what is wrong with a call goes to standard error.
 *
 * @param args what follows the program's name: `gateway --port 4000`
 * @returns 64 when the call makes no sense, 0 otherwise; a command that fails sets `process.exitCode`
 */
export async function runTrellis(args: readonly string[]): Promise<number> {
  const program = await createTrellis(args[0] === 'help' ? args[1] : args[0]);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : EXIT_USAGE;
  }
}

/** Only the command that is called is loaded; the others are there for the list. */
async function createTrellis(called: string | undefined): Promise<Command> {
  const program = new Command('trellis').description('An open federated GraphQL platform.');
  program.enablePositionalOptions().showHelpAfterError().exitOverride();
  for (const { name, summary, load } of cliCommands) {
    const command = name === called ? (await load()).command : new Command(name);
    program.addCommand(command.summary(summary).showHelpAfterError().exitOverride());
  }
  return program;
}
