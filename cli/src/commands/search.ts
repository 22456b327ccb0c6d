import { resolve } from 'node:path';
import { ConfigError, EXIT_CONFIG } from '@trellis/runtime';
import { runSearchCommand, search } from '@trellis/search';
import { Command } from 'commander';
import { didYouMean } from '@trellis/runtime/parse-flags';
import type { CliCommand } from '../cli-command.ts';
import { readPlatformFile } from '../platform/platform-file.ts';
import { withSecretFiles } from '../platform/secret-files.ts';

/** `trellis search`: commands on the database of the search service. */
export function searchCommand(): CliCommand {
  const command = new Command('search')
    .description('Runs a command of the search service.')
    .argument('<command>', 'rebuild: read the whole index again, and wait until it is done')
    .option('--json', 'how many documents there are, and the seconds that it took')
    .action((name: string, { json = false }: { readonly json?: boolean }) => {
      if (name !== 'rebuild')
        command.error(`error: There is no command "${name}".${didYouMean(name, ['rebuild'])}`);
      return run(json ? [name, '--json'] : [name]);
    });
  return { command, phrases: ['rebuild'] };
}

async function run(args: readonly string[]): Promise<void> {
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  try {
    // A platform that runs on this data directory is reached; else the environment says where the database is.
    const running = readPlatformFile(resolve(process.env['DATA_DIR'] || '.data'));
    const config = search.readConfig({ ...running?.searchEnvironment, ...withSecretFiles(process.env) });
    const { stdout, stderr } = process;
    process.exitCode = await runSearchCommand(args, config, { stdout, stderr, signal: interrupted.signal });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\nIs the platform running? It is found by DATA_DIR.\n`);
    process.exitCode = EXIT_CONFIG;
  }
}
