export { ConfigError } from './config/config-error.ts';
export { readConfig, sensitiveNames, type ReadConfigOptions } from './config/read-config.ts';
export { type JsonWebKeySet, type PrivateJsonWebKey } from './config/json-web-key.ts';
export {
  readSecretFile,
  readSecretFiles,
  type Environment,
  type ResolvedEnvironment,
} from './config/secret-files.ts';
export { describeConfig, type ConfigVariable } from './config/describe-config.ts';
export { isLoopbackHost } from './config/loopback-host.ts';
export {
  allowsConveniences,
  isProduction,
  type NodeEnvironment,
  type Surroundings,
} from './config/node-environment.ts';
export { weaknessOf } from './config/secret-strength.ts';
export { type ConfigOf, type Forms, type Variable, type VariableTable } from './config/variable-table.ts';
export {
  type Deployable,
  type DeployableProgram,
  type ProcessConfig,
  type Resources,
} from './process/deployable.ts';
export { StartupError, describeUnavailableStore, explainStartupError } from './process/startup-error.ts';
export { discardBody } from './http/discard-body.ts';
export { type ReadinessCheck } from './http/health-routes.ts';
export {
  CLOSING_BEGAN,
  createHttpServer,
  setRequestTimeout,
  EXCHANGE_BEGAN,
  EXCHANGE_ENDED,
  type HttpServerOptions,
} from './http/http-server.ts';
export { createFlatLogger, createLogger, type Logger, type LoggerOptions } from './telemetry/logger.ts';
export { createMetrics, type Metrics } from './telemetry/metrics.ts';
export {
  startOperationsServer,
  type OperationsRoutes,
  type OperationsServer,
  type OperationsServerOptions,
} from './http/operations-server.ts';
export { processVariables } from './process/process-variables.ts';
export { runDeployable } from './process/run-deployable.ts';
export { endOnUnhandledError } from './process/unhandled-errors.ts';
export { onStopSignal, type StopSignalOptions } from './process/stop-signals.ts';
export {
  ambiguityOf,
  hasTooManyHeaders,
  MAX_HEADERS,
  rejectAmbiguousRequests,
} from './http/unambiguous-request.ts';
export { onWebSocketRequest, passWebSocketRequests } from './http/upgrades.ts';
