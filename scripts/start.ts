import { parseArgs } from 'node:util';
import { ConfigError, EXIT_CONFIG } from '@trellis/config';
import { PortInUse, startPlatform, type Platform } from '@trellis/platform';
import { DirectoryInUse } from '@trellis/supervision';

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

/** A signal while it starts ends it too, once what has been started can be closed in order. */
async function run(inSplit: boolean): Promise<void> {
  let stopping = false;
  const starting = startPlatform({
    environment: process.env,
    split: inSplit,
    tell: (line) => process.stdout.write(`${line}\n`),
  });
  const stop = (): void => {
    if (stopping) process.exit(130);
    stopping = true;
    setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref();
    void starting.then(closeAndExit, () => process.exit(1));
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  await starting.catch(explainAndExit);
}

async function closeAndExit(platform: Platform): Promise<never> {
  process.stdout.write('Stopping …\n');
  try {
    await platform.close();
    return process.exit(0);
  } catch (error) {
    process.stderr.write(`${String(error)}\n`);
    return process.exit(1);
  }
}

function explainAndExit(error: unknown): never {
  if (error instanceof ConfigError) {
    process.stderr.write(`${error.message}\n`);
    process.exit(EXIT_CONFIG);
  }
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}

function explain(error: unknown): string {
  if (error instanceof PortInUse) return error.message;
  if (error instanceof DirectoryInUse) {
    return `${error.message} Another Trellis runs on this data directory: stop it, or set DATA_DIR to another one.`;
  }
  return error instanceof Error ? `Could not start: ${error.stack ?? error.message}` : String(error);
}
