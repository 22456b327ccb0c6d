import { ConfigError, runDeployable } from '@trellis/runtime';
import { EXIT_CONFIG } from '@trellis/runtime/exit-codes';
import { search } from './program.ts';
import { runSearchCommand } from './rebuild.ts';

// With arguments this is the command line of a service that runs elsewhere: of its container.
const args = process.argv.slice(2);
if (args.length === 0) await runDeployable(search, process.env);
else process.exitCode = await runCommand();

async function runCommand(): Promise<number> {
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  try {
    const { stdout, stderr } = process;
    return await runSearchCommand(args, search.readConfig(process.env), {
      stdout,
      stderr,
      signal: interrupted.signal,
    });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return EXIT_CONFIG;
  }
}
