import { ConfigError, EXIT_CONFIG } from '../config/config-error.ts';
import type { Environment } from '../config/secret-files.ts';
import type { Deployable, DeployableProgram, ProcessConfig } from './deployable.ts';
import { explainStartupError } from './startup-error.ts';
import { createLogger, type Logger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { startOperationsServer } from '../http/operations-server.ts';
import { onStopSignal } from './stop-signals.ts';
import { endOnUnhandledError } from './unhandled-errors.ts';

const DRAIN_DEADLINE_MS = 25_000;

/**
 * The life of a process that hosts one deployable: configure, start, serve, drain on SIGTERM or SIGINT, exit. A wrong
 * configuration is printed whole and exits with 78 (sysexits EX_CONFIG); a failed start exits with 1, and so does an error
 * that no one handles; a second signal exits at once.
 */
export async function runDeployable<Config extends ProcessConfig, Started extends Deployable>(
  program: DeployableProgram<Config, Started>,
  environment: Environment,
): Promise<void> {
  const config = readConfigOrExit(program, environment);
  const logger = createLogger({ service: program.service, level: config.LOG_LEVEL });
  let deployable: RunningDeployable | undefined;
  endOnUnhandledError(logger, async () => deployable?.close());
  const running = await startOrExit(program, config, logger);
  deployable = running;
  logger.info({ url: running.url, operationsUrl: running.operationsUrl }, 'ready');
  onStopSignal(() => void drainAndExit(logger, running), {
    endsWithParent: environment['npm_lifecycle_event'] !== undefined,
  });
}

function readConfigOrExit<Config extends ProcessConfig, Started extends Deployable>(
  program: DeployableProgram<Config, Started>,
  environment: Environment,
): Config {
  try {
    return program.readConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
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
): Promise<RunningDeployable> {
  try {
    return await startWithOperations(program, config, logger);
  } catch (error) {
    const reason = explainStartupError(error, config);
    if (reason !== undefined) process.stderr.write(`${reason}\n`);
    else logger.fatal({ err: error }, 'could not start');
    return process.exit(1);
  }
}

async function startWithOperations<Config extends ProcessConfig, Started extends Deployable>(
  program: DeployableProgram<Config, Started>,
  config: Config,
  logger: Logger,
): Promise<RunningDeployable> {
  const metrics = createMetrics(program.service);
  let started: Started | undefined;
  const routes = program.operations?.(config, { logger, metrics }, () => started);
  const operations = await startOperationsServer({
    port: config.OPERATIONS_PORT,
    host: config.OPERATIONS_HOST,
    metrics: [metrics],
    routes: routes ? [routes] : [],
  });
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
