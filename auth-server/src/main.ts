import { ConfigError, runDeployable } from '@trellis/runtime';
import { EXIT_CONFIG } from '@trellis/runtime/exit-codes';
import { authServer } from './app/auth-server.ts';
import { runAuthServerCommand } from './commands/index.ts';

// With arguments, `accounts add …` and the like, this is the command line of a server that runs elsewhere: of its container.
const args = process.argv.slice(2);
if (args.length === 0) await runDeployable(authServer, process.env);
else process.exitCode = await runCommand();

async function runCommand(): Promise<number> {
  try {
    const { stdin, stdout, stderr } = process;
    return await runAuthServerCommand(args, authServer.readConfig(process.env), { stdin, stdout, stderr });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return EXIT_CONFIG;
  }
}
