import { resolve } from 'node:path';
import {
  nodeEnvironment,
  port,
  readConfig,
  url,
  type Environment,
  type NodeEnvironment,
} from '@trellis/runtime';
import { z } from 'zod';
import { problemOfDirectory } from './data-directory.ts';

/** What `npm start` itself reads; every deployable reads its own variables beside it. */
export interface PlatformConfig {
  readonly NODE_ENV?: NodeEnvironment | undefined;
  readonly DATA_DIR: string;
  readonly DATABASE_URL?: string | undefined;
  readonly REDIS_URL?: string | undefined;
  readonly GATEWAY_PORT: number;
  readonly AUTH_PORT: number;
  readonly USERS_PORT: number;
  readonly POSTS_PORT: number;
  readonly COMMENTS_PORT: number;
  readonly SEARCH_PORT: number;
  readonly OPERATIONS_PORT: number;
  readonly LOG_LEVEL: string;
}

/** The environment of the platform in one process. */
export const configSchema: z.ZodObject<{
  readonly [Name in keyof PlatformConfig]-?: z.ZodType<PlatformConfig[Name]>;
}> = z.object({
  NODE_ENV: nodeEnvironment().describe(
    'development, test or production. production refuses the embedded Redis, demo accounts and generated secrets on loopback addresses, too; elsewhere they are always refused.',
  ),
  DATA_DIR: z
    .string()
    .superRefine((directory, { addIssue }) => {
      const problem = problemOfDirectory(resolve(directory));
      if (problem !== undefined) addIssue({ code: 'custom', message: problem });
    })
    .default('.data')
    .describe('Where embedded stores and generated secrets are stored.'),
  DATABASE_URL: url('postgres', 'postgresql')
    .optional()
    .describe(
      'A PostgreSQL for every service, instead of the embedded one. POSTS_DATABASE_URL and the like name one per service.',
    ),
  REDIS_URL: z.string().optional().describe('A Redis, instead of the embedded one.'),
  GATEWAY_PORT: port(4000).describe('Port of the gateway; 0 takes any free one, as for all ports here.'),
  AUTH_PORT: port(4001).describe('Port of the auth-server.'),
  USERS_PORT: port(4011).describe('Port of the users subgraph.'),
  POSTS_PORT: port(4012).describe('Port of the posts subgraph.'),
  COMMENTS_PORT: port(4013).describe('Port of the comments subgraph.'),
  SEARCH_PORT: port(4014).describe('Port of the search subgraph.'),
  OPERATIONS_PORT: port(9464).describe(
    'Port of GET /metrics for all deployables. With --split each has the next one.',
  ),
  LOG_LEVEL: z
    .enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'])
    .default('warn')
    .describe('What the deployables log.'),
});

/**
 * Reads the platform's own variables; DATA_DIR becomes absolute.
 *
 * @throws ConfigError with all that is wrong
 */
export function readPlatformConfig(environment: Environment): PlatformConfig {
  const config = readConfig(configSchema, environment, { subject: 'the platform' });
  return Object.freeze({ ...config, DATA_DIR: resolve(config.DATA_DIR) });
}
