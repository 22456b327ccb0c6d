import type { Environment } from '../config/secret-files.ts';
import type { ConfigOf } from '../config/variable-table.ts';
import type { processVariables } from './process-variables.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { OperationsRoutes } from '../http/operations-server.ts';

/** What a process gives each deployable that it hosts. */
export interface Resources {
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** A deployable that serves. */
export interface Deployable {
  /** Where it listens, without a trailing slash. */
  readonly url: string;
  /** Stops accepting, finishes what is in flight, closes pools. Safe to call twice. */
  close(): Promise<void>;
}

/** What every process knows once its environment is read. */
export type ProcessConfig = ConfigOf<typeof processVariables>;

/**
 * What a deployable's package exports: enough to run it alone, or beside others in one process. Its `Started` is what its routes for
 * operators are given of it.
 */
export interface DeployableProgram<Config extends ProcessConfig, Started extends Deployable = Deployable> {
  /** `gateway`, `auth-server`, `posts`, … */
  readonly service: string;
  /** @throws ConfigError with all that is wrong */
  readonly readConfig: (environment: Environment) => Config;
  /** Opens pools, migrates, listens. Rejects when it can't serve, with StartupError where words say all about it. */
  readonly start: (config: Config, resources: Resources) => Promise<Started>;
  /**
   * What operators can do with it at the operations port of the process that hosts it, beside reading its metrics. The port is open
   * before the deployable has started.
   */
  readonly operations?: (
    config: Config,
    resources: Resources,
    started: () => Started | undefined,
  ) => OperationsRoutes | undefined;
}
