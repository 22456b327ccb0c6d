import { ConfigError, createLogger, endOnUnhandledError, onStopSignal } from '@trellis/runtime';
import { EXIT_CONFIG, EXIT_FAILED } from '@trellis/runtime/exit-codes';
import { Command } from 'commander';
import type { CliCommand } from '../cli-command.ts';
import { explainFailure } from '../explain-failure.ts';
import { publishOwnRelease } from '../own-registry/publish-own-release.ts';
import { createProgress, createTerminal } from '../terminal/index.ts';
import { startPlatform } from '../platform/start-platform.ts';

const STOP_DEADLINE_MS = 9_500;

/** `trellis start`: the whole platform on embedded defaults. */
export function startCommand(): CliCommand {
  const command = new Command('start')
    .description('Runs the whole platform on embedded defaults.')
    .option('--split', 'one process for each deployable, instead of one for all')
    .action(({ split = false }: { readonly split?: boolean }) => run(split));
  return { command };
}

/** A signal while it starts ends the start, and what has been started by then. */
async function run(split: boolean): Promise<void> {
  const stopping = new AbortController();
  const starting = startPlatform({
    environment: process.env,
    split,
    publish: publishOwnRelease,
    progress: createProgress(createTerminal(process.stdout, process.env)),
    signal: stopping.signal,
  });
  endOnUnhandledError(createLogger({ service: 'platform' }), async () => {
    stopping.abort();
    await (await starting.catch(() => undefined))?.close();
  });
  const stop = async (): Promise<void> => {
    process.stdout.write('Stopping …\n');
    stopping.abort();
    setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref();
    const platform = await starting.catch(() => undefined); // it has closed what it had started
    await platform?.close();
    process.exit(0);
  };
  onStopSignal(() => void stop().catch(failAndExit), {
    endsWithParent: process.env['npm_lifecycle_event'] !== undefined,
  });
  await starting.catch((error: unknown) => {
    if (!stopping.signal.aborted) failAndExit(error);
  });
}

function failAndExit(error: unknown): never {
  process.stderr.write(`${explainFailure(error)}\n`);
  process.exit(error instanceof ConfigError ? EXIT_CONFIG : EXIT_FAILED);
}
