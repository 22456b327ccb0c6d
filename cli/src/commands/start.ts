import { parseArgs } from 'node:util';
import { ConfigError, createLogger, endOnUnhandledError, EXIT_CONFIG, onStopSignal } from '@trellis/runtime';
import { startPlatform } from '../platform/start-platform.ts';
import { explainFailure } from '../explain-failure.ts';

const USAGE = `npm start [-- --split]

Runs the whole platform on embedded defaults.
  --split  one process for each deployable, instead of one for all
`;
const EXIT_USAGE = 64;
const STOP_DEADLINE_MS = 9_500;

const { split, help } = readArguments();
if (help) {
  process.stdout.write(USAGE);
} else {
  await run(split);
}

function readArguments(): { split: boolean; help: boolean } {
  try {
    const options = {
      split: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return process.exit(EXIT_USAGE);
  }
}

/** A signal while it starts ends the start, and what has been started by then. */
async function run(inSplit: boolean): Promise<void> {
  const stopping = new AbortController();
  const starting = startPlatform({
    environment: process.env,
    split: inSplit,
    tell: (line) => process.stdout.write(`${line}\n`),
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
  process.exit(error instanceof ConfigError ? EXIT_CONFIG : 1);
}
