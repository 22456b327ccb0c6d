import { resolve } from 'node:path';
import { problemOfRedisUrl } from '@trellis/redis';
import { readConfig, type Environment, type Forms } from '@trellis/runtime';
import { servesDocumentation, servesWebApplication } from './conveniences.ts';
import { problemOfDirectory } from './data-directory.ts';
import { environmentTable, type PlatformConfig } from './environment-table.ts';

const forms: Forms = {
  directory: (path) => problemOfDirectory(resolve(path)),
  redisUrl: problemOfRedisUrl,
};

/**
 * Reads the platform's own variables; DATA_DIR becomes absolute.
 *
 * @throws ConfigError with all that is wrong
 */
export function readPlatformConfig(environment: Environment): PlatformConfig {
  const config = readConfig(environmentTable, environment, { subject: 'the platform', forms });
  const WEB_PORT = servesWebApplication(config, environment) ? config.WEB_PORT : 0; // a port that nothing listens on
  const DOCS_PORT = servesDocumentation(config, environment) ? config.DOCS_PORT : 0;
  return Object.freeze({ ...config, WEB_PORT, DOCS_PORT, DATA_DIR: resolve(config.DATA_DIR) });
}
