import { ConfigError, EXIT_CONFIG } from '@trellis/runtime';
import { readPlatformFile } from '../platform/platform-file.ts';
import { runSearchCommand, search } from '@trellis/search';
import { resolve } from 'node:path';

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
try {
  // A platform that runs on this data directory is reached; else the environment says where the database is.
  const running = readPlatformFile(resolve(process.env['DATA_DIR'] || '.data'));
  const config = search.readConfig({ ...running?.searchEnvironment, ...process.env });
  const { stdout, stderr } = process;
  process.exitCode = await runSearchCommand(process.argv.slice(2), config, {
    stdout,
    stderr,
    signal: interrupted.signal,
  });
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\nIs the platform running? It is found by DATA_DIR.\n`);
  process.exitCode = EXIT_CONFIG;
}
