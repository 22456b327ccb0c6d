export { ConfigError, EXIT_CONFIG } from './config-error.ts';
export { readConfig, type Environment, type ReadConfigOptions } from './read-config.ts';
export { describeConfig, type ConfigVariable } from './describe-config.ts';
export { flag, list, milliseconds, port, seconds, url, wholeNumber } from './variable-types.ts';
