import { ConfigError } from '@trellis/runtime';
import { EXIT_CONFIG } from '@trellis/runtime/exit-codes';
import { runSearchCommand, search } from '@trellis/search';
import { Command } from 'commander';
import { didYouMean } from '@trellis/runtime/parse-flags';
import type { CliCommand } from '../cli-command.ts';
import { readDataDirectory } from '../platform/environment-table.ts';
import { readPlatformFile } from '../platform/platform-file.ts';
import { withSecretFiles } from '../platform/secret-files.ts';

/** `trellis search`: commands on the database of the search service. */
export function searchCommand(): CliCommand {
  const command = new Command('search')
    .description('Runs a command of the search service.')
    .argument('<command>', 'rebuild: read the whole index again, and wait until it is done')
    .option('--json', 'how many documents there are, and the seconds that it took')
    .action((name: string, { json = false }: { readonly json?: boolean }) => {
      if (name === 'help') return command.outputHelp();
      if (name !== 'rebuild')
        command.error(`error: There is no command "${name}".${didYouMean(name, ['rebuild'])}`);
      return run(json ? [name, '--json'] : [name]);
    });
  return { command, phrases: ['rebuild'] };
}

const NO_DATABASE =
  'No index: no platform runs on this data directory (DATA_DIR), and DATABASE_URL is not set.\n' +
  'Is the platform running? Start it with: npm start\n';

async function run(args: readonly string[]): Promise<void> {
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  try {
    // A platform that runs on this data directory is reached; else the environment says where the database is.
    const running = readPlatformFile(readDataDirectory(process.env));
    const environment = { ...running?.searchEnvironment, ...withSecretFiles(process.env) };
    if (!(environment['SEARCH_DATABASE_URL'] ?? environment['DATABASE_URL'])) return failWith(NO_DATABASE);
    const config = search.readConfig(environment);
    const { stdout, stderr } = process;
    process.exitCode = await runSearchCommand(args, config, { stdout, stderr, signal: interrupted.signal });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    failWith(`${error.message}\n`);
  }
}

function failWith(text: string): void {
  process.stderr.write(text);
  process.exitCode = EXIT_CONFIG;
}
