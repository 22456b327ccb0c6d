export { type Deployable, type DeployableProgram, type ProcessConfig, type Resources } from './deployable.ts';
export { CannotStart, explainFailedStart } from './failed-start.ts';
export { type ReadinessCheck } from './health-routes.ts';
export {
  CLOSING_BEGAN,
  createHttpServer,
  EXCHANGE_BEGAN,
  EXCHANGE_ENDED,
  type HttpServerOptions,
} from './http-server.ts';
export { createFlatLogger, createLogger, type Logger, type LoggerOptions } from './logger.ts';
export { createMetrics, type Metrics } from './metrics.ts';
export {
  startOperationsServer,
  type OperationsRoutes,
  type OperationsServer,
  type OperationsServerOptions,
} from './operations-server.ts';
export { processVariables } from './process-variables.ts';
export { runDeployable } from './run-deployable.ts';
export { endOnUnhandledError } from './unhandled-errors.ts';
export { onStopSignal, type StopSignalOptions } from './stop-signals.ts';
export { ambiguityOf, hasTooManyHeaders, MAX_HEADERS } from './unambiguous-request.ts';
export { onWebSocketRequest } from './upgrades.ts';
