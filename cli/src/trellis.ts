import { EXIT_USAGE } from '@trellis/runtime/exit-codes';
import { didYouMean } from '@trellis/runtime/parse-flags';
import { Command, CommanderError } from 'commander';
import { cliCommands } from './cli-commands.ts';
import { ownVersion } from './own-version.ts';
import { createTerminal, pageLink } from './terminal/index.ts';

/**
 * Runs `trellis` with its arguments. Help goes to standard output; what is wrong with a call goes to standard error, with the
 * name that a mistyped one resembles.
 *
 * @param args what follows the program's name: `gateway --port 4000`
 * @returns 64 when the call makes no sense, 0 otherwise; a command that fails sets `process.exitCode`
 */
export async function runTrellis(args: readonly string[]): Promise<number> {
  const program = await createTrellis(args[0] === 'help' ? args[1] : args[0]);
  try {
    complainOfUnknownOption(program, args);
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (isConfigError(error)) {
      process.stderr.write(`${error.message}\n`);
      return EXIT_USAGE;
    }
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : EXIT_USAGE;
  }
}

/** By its name: the program that defines it is loaded by the commands that need it. */
function isConfigError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ConfigError';
}

const BRIEF_USAGE = 'Usage: trellis <command> [options]\nHelp: trellis --help';

/**
 * The program, ready to parse. Only the command that is called is loaded; the others are listed only.
 *
 * @param called the name of the command
 */
export async function createTrellis(called: string | undefined): Promise<Command> {
  const program = new Command('trellis').description('An open federated GraphQL platform.');
  program.enablePositionalOptions().showHelpAfterError(BRIEF_USAGE).exitOverride();
  program.version(ownVersion(), '--version', 'output the version of the package');
  const list = pageLink({ page: 'command-line.md' });
  program.addHelpText('after', `\nEvery command, its results and exit statuses: ${list}`);
  for (const { name, summary, page, load } of cliCommands) {
    const command = name === called ? (await load()).command : new Command(name);
    command.addHelpText('after', `\nDocumentation: ${pageLink({ page })}`);
    program.addCommand(command.summary(summary));
    complainBriefly(command, 'trellis');
  }
  configureColors(program);
  return program;
}

/** Commander would say that a required option is missing, where its name is mistyped. */
function complainOfUnknownOption(program: Command, args: readonly string[]): void {
  let command = program;
  for (const arg of args) {
    const inner = command.commands.find((one) => one.name() === arg);
    if (inner) command = inner;
    else if (arg.startsWith('--') && command.options.some(({ mandatory }) => mandatory)) {
      const flag = arg.split('=', 1)[0] ?? arg;
      const known = ['--help', ...command.options.flatMap(({ long }) => long ?? [])];
      if (!known.includes(flag)) command.error(`error: unknown option '${flag}'${didYouMean(flag, known)}`);
    }
  }
}

/** After what is wrong with a call stands how it is made: in two lines, as a page of help would hide the first. */
function complainBriefly(command: Command, path: string): void {
  const full = `${path} ${command.name()}`;
  command.exitOverride().showHelpAfterError(`Usage: ${full} ${command.usage()}\nHelp: ${full} --help`);
  for (const inner of command.commands) complainBriefly(inner, full);
}

/** Commander asks each command of a tree; what has no colours loses them. */
function configureColors(command: Command): void {
  const [out, error] = [process.stdout, process.stderr].map((stream) => createTerminal(stream, process.env));
  if (!out || !error) return;
  const { bold, cyan } = out.paint;
  command.configureHelp({
    styleTitle: bold,
    styleCommandText: cyan,
    styleSubcommandText: cyan,
    styleOptionText: cyan,
  });
  command.configureOutput({
    getOutHasColors: () => out.paint.red('') !== '',
    getErrHasColors: () => error.paint.red('') !== '',
    outputError: (text, write) => write(text.replace(/^error:/, error.paint.red('error:'))),
  });
  for (const inner of command.commands) configureColors(inner);
}
