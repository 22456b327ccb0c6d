import { EXIT_CONFIG } from '../command-line/exit-codes.ts';
import { ConfigError } from '../config/config-error.ts';
import { nameFlags } from '../config/name-flags.ts';
import type { Environment } from '../config/secret-files.ts';
import type { Deployable, DeployableProgram, ProcessConfig } from './deployable.ts';
import { explainStartupError } from './startup-error.ts';
import { createLogger, type Logger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { startOperationsServer } from '../http/operations-server.ts';
import { onStopSignal } from './stop-signals.ts';
import { endOnUnhandledError } from './unhandled-errors.ts';

const DRAIN_DEADLINE_MS = 25_000;

/** How a process is run. */
interface RunOptions {
  /**
   * Whether the operations port gives way to the next free one where another program has it, which is said on standard error: for programs
   * that are run by hand, several on a machine, where no one has asked for a port. @default false
   */
  readonly takesNextOperationsPort?: boolean;
  /** The variables that were given as flags, for messages: `{ PORT: '--port' }`. @default none */
  readonly flags?: Readonly<Record<string, string>>;
}

/**
 * The life of a process that hosts one deployable: configure, start, serve, drain on SIGTERM or SIGINT, exit. A wrong
 * configuration is printed whole and exits with 78 (sysexits EX_CONFIG); a failed start exits with 1, and so does an error
 * that no one handles; a second signal exits at once.
 */
export async function runDeployable<Config extends ProcessConfig, Started extends Deployable>(
  program: DeployableProgram<Config, Started>,
  environment: Environment,
  options: RunOptions = {},
): Promise<void> {
  const config = readConfigOrExit(program, environment, options);
  const logger = createLogger({ service: program.service, level: config.LOG_LEVEL });
  let deployable: RunningDeployable | undefined;
  endOnUnhandledError(logger, async () => deployable?.close());
  const running = await startOrExit(program, config, logger, options);
  deployable = running;
  logger.info({ url: running.url, operationsUrl: running.operationsUrl }, 'ready');
  onStopSignal(() => void drainAndExit(logger, running), {
    endsWithParent: environment['npm_lifecycle_event'] !== undefined,
  });
}

function readConfigOrExit<Config extends ProcessConfig, Started extends Deployable>(
  program: DeployableProgram<Config, Started>,
  environment: Environment,
  { flags = {} }: RunOptions,
): Config {
  try {
    return program.readConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${nameFlags(error.message, flags)}\n`);
    return process.exit(EXIT_CONFIG);
  }
}

interface RunningDeployable extends Deployable {
  readonly operationsUrl: string;
}

async function startOrExit<Config extends ProcessConfig, Started extends Deployable>(
  program: DeployableProgram<Config, Started>,
  config: Config,
  logger: Logger,
  options: RunOptions,
): Promise<RunningDeployable> {
  try {
    return await startWithOperations(program, config, logger, options);
  } catch (error) {
    const reason = explainStartupError(error, config, options.flags);
    if (reason !== undefined) process.stderr.write(`${reason}\n`);
    else logger.fatal({ err: error }, 'could not start');
    return process.exit(1);
  }
}

async function startWithOperations<Config extends ProcessConfig, Started extends Deployable>(
  program: DeployableProgram<Config, Started>,
  config: Config,
  logger: Logger,
  { takesNextOperationsPort = false }: RunOptions,
): Promise<RunningDeployable> {
  const metrics = createMetrics(program.service);
  let started: Started | undefined;
  const routes = program.operations?.(config, { logger, metrics }, () => started);
  const operations = await startOperationsServer({
    port: config.OPERATIONS_PORT,
    host: config.OPERATIONS_HOST,
    takesNextPort: takesNextOperationsPort,
    metrics: [metrics],
    routes: routes ? [routes] : [],
  });
  reportOtherPort(config, operations.url);
  const deployable = await program.start(config, { logger, metrics });
  started = deployable;
  return {
    url: deployable.url,
    operationsUrl: operations.url,
    close: async () => {
      await deployable.close();
      await operations.close();
    },
  };
}

function reportOtherPort({ OPERATIONS_PORT: wanted }: ProcessConfig, url: string): void {
  if (wanted === 0 || new URL(url).port === String(wanted)) return;
  process.stderr.write(`Port ${wanted} is in use by another program: metrics are at ${url}/metrics.\n`);
}

async function drainAndExit(logger: Logger, deployable: Deployable): Promise<never> {
  setTimeout(() => process.exit(1), DRAIN_DEADLINE_MS).unref();
  try {
    await deployable.close();
    return process.exit(0);
  } catch (error) {
    logger.error({ err: error }, 'graceful shutdown failed');
    return process.exit(1);
  }
}
