import { authServer, commandNames, readAuthServerCall, runAuthServerCommand } from '@trellis/auth-server';
import { ConfigError, runDeployable } from '@trellis/runtime';
import { EXIT_CONFIG, EXIT_FAILED, EXIT_USAGE } from '@trellis/runtime/exit-codes';
import { Command } from 'commander';
import type { CliCommand } from '../cli-command.ts';
import { explainFailure } from '../explain-failure.ts';
import { takesNextOperationsPort } from '../operations-port.ts';
import { createProgress, createTerminal, paintVerdicts } from '../terminal/index.ts';
import {
  openCommandStores,
  openServerStores,
  type AuthServerStores,
} from '../platform/auth-server-stores.ts';

/** `trellis auth-server`: serves, or runs one of its commands on the stores of the running server. */
export function authServerCommand(): CliCommand {
  const overview = readAuthServerCall(['--help']);
  const list = overview.kind === 'help' ? overview.text : '';
  const command = new Command('auth-server')
    .description('Serves OAuth 2.0 and OpenID Connect. With a command: runs it and ends.')
    .argument('[command...]', 'for example: accounts add --email EMAIL --name NAME --role ROLE')
    .addHelpText('after', `\n${list}`)
    .passThroughOptions()
    .allowUnknownOption()
    .action((args: readonly string[]) => (args[0] === 'help' ? showHelp(command, args.slice(1)) : run(args)));
  return { command, phrases: commandNames, help: () => `${command.helpInformation()}\n${list}` };
}

/** `help` alone is the help of all, `help accounts add` that of one command. */
async function showHelp(command: Command, args: readonly string[]): Promise<void> {
  if (args.length === 0) command.outputHelp();
  else await run([...args, '--help']);
}

async function run(args: readonly string[]): Promise<void> {
  if (args.length > 0 && !isRunnable(args)) return;
  const progress = createProgress(createTerminal(process.stderr, process.env));
  try {
    if (args.length === 0) await serve(await openServerStores(process.env, progress));
    else process.exitCode = await runCommand(args, await openCommandStores(process.env, progress));
  } catch (error) {
    process.stderr.write(`${explainFailure(error)}\n`);
    process.exitCode = error instanceof ConfigError ? EXIT_CONFIG : EXIT_FAILED;
  }
}

/** Help, and what is wrong with a call, need no stores. */
function isRunnable(args: readonly string[]): boolean {
  const call = readAuthServerCall(args);
  if (call.kind === 'help') process.stdout.write(`${call.text}\n`);
  if (call.kind === 'wrong') {
    const { write, paint } = createTerminal(process.stderr, process.env);
    const usage = call.usage.startsWith('Usage') ? call.usage : 'Usage: trellis auth-server COMMAND';
    write(paintVerdicts(`error: ${call.problem}\n${usage}\nHelp: trellis auth-server --help\n`, paint));
    process.exitCode = EXIT_USAGE;
  }
  return call.kind === 'run';
}

/** The stores end after the server that uses them, also where it can't start. */
async function serve({ environment, announce, close }: AuthServerStores): Promise<void> {
  const program: typeof authServer = {
    ...authServer,
    start: async (config, resources) => {
      try {
        const server = await authServer.start(config, resources);
        announce(server.url);
        return { url: server.url, close: () => server.close().finally(close) };
      } catch (error) {
        await close();
        throw error;
      }
    },
  };
  await runDeployable(program, environment, {
    takesNextOperationsPort: takesNextOperationsPort('AUTH', environment),
  });
}

async function runCommand(
  args: readonly string[],
  { environment, close }: AuthServerStores,
): Promise<number> {
  try {
    return await runAuthServerCommand(args, authServer.readConfig(environment), {
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
    });
  } finally {
    await close();
  }
}
