export { ConfigError, EXIT_CONFIG } from './config-error.ts';
export { readConfig, type Environment, type ReadConfigOptions } from './read-config.ts';
export { describeConfig, type ConfigVariable } from './describe-config.ts';
export { isLoopbackHost } from './loopback-host.ts';
export {
  allowsConveniences,
  isProduction,
  nodeEnvironment,
  type NodeEnvironment,
  type Surroundings,
} from './node-environment.ts';
export { secrets, weaknessOf } from './secret-strength.ts';
export { flag, list, milliseconds, port, seconds, url, wholeNumber } from './variable-types.ts';
