import { authServer, commandNames, readAuthServerCall, runAuthServerCommand } from '@trellis/auth-server';
import { ConfigError, EXIT_CONFIG, runDeployable } from '@trellis/runtime';
import { Command } from 'commander';
import { EXIT_USAGE, type CliCommand } from '../cli-command.ts';
import { explainFailure } from '../explain-failure.ts';
import { takesNextOperationsPort } from '../operations-port.ts';
import { createProgress, createTerminal, paintVerdicts } from '../terminal/index.ts';
import { openAuthServerStores, type AuthServerStores } from '../platform/auth-server-stores.ts';

/** `trellis auth-server`: serves, or runs one of its commands on the stores of the running platform. */
export function authServerCommand(): CliCommand {
  const command = new Command('auth-server')
    .description('Serves OAuth 2.0 and OpenID Connect. With a command: runs it and ends.')
    .argument('[command...]', 'for example: accounts add --email EMAIL --name NAME --role ROLE')
    .addHelpText('after', `\nCommands:\n${commandNames.map((name) => `  ${name}\n`).join('')}`)
    .passThroughOptions()
    .allowUnknownOption()
    .action((args: readonly string[]) => run(args));
  const commandsHelp = readAuthServerCall(['--help']);
  const list = commandsHelp.kind === 'help' ? commandsHelp.text : '';
  return { command, phrases: commandNames, help: () => `${command.helpInformation()}\n${list}` };
}

async function run(args: readonly string[]): Promise<void> {
  if (args.length > 0 && !isRunnable(args)) return;
  const progress = createProgress(createTerminal(process.stderr, process.env));
  try {
    const stores = await openAuthServerStores(process.env, progress);
    if (args.length === 0) await serve(stores);
    else process.exitCode = await runCommand(args, stores);
  } catch (error) {
    process.stderr.write(`${explainFailure(error)}\n`);
    process.exitCode = error instanceof ConfigError ? EXIT_CONFIG : 1;
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

/** The stores end after the server that uses them. */
async function serve({ environment, close }: AuthServerStores): Promise<void> {
  const program: typeof authServer = {
    ...authServer,
    start: async (config, resources) => {
      const server = await authServer.start(config, resources);
      return { url: server.url, close: () => server.close().finally(close) };
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
