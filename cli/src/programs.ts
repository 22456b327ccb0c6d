import { authServer, configSchema as authServerSchema } from '@trellis/auth-server';
import { comments, configSchema as commentsSchema } from '@trellis/comments';
import type {
  Deployable,
  DeployableProgram,
  Environment,
  Logger,
  OperationsRoutes,
  ProcessConfig,
  Resources,
} from '@trellis/runtime';
import { configSchema as gatewaySchema, gateway } from '@trellis/gateway';
import { configSchema as postsSchema, posts } from '@trellis/posts';
import { configSchema as searchSchema, search } from '@trellis/search';
import { configSchema as usersSchema, users } from '@trellis/users';
import type { z } from 'zod';

// What pages, settings and benchmarks are made from. Nothing else outside of cli/ imports a deployable.
export { fillPasswordFilter, lifeCycle, oauthErrors } from '@trellis/auth-server';
export { buildServer as buildComments } from '@trellis/comments';
export {
  documentedSettings,
  gatewayErrorCodes,
  limitCatalogue,
  settingsSchema,
  settingTable,
  stages,
  type CataloguedLimit,
  type DocumentedSetting,
} from '@trellis/gateway';
export { HEAP_FLAGS } from '@trellis/gateway/heap-flags';
export { S3FifoCache } from '@trellis/gateway/s3-fifo-cache';
export { buildServer as buildPosts } from '@trellis/posts';
export {
  buildServer as buildSearch,
  commentDocuments,
  postDocuments,
  userDocuments,
  type Documents,
} from '@trellis/search';
export { buildServer as buildUsers } from '@trellis/users';

/** The deployables by the prefix of their variables. */
export type Prefix = 'AUTH' | 'USERS' | 'POSTS' | 'COMMENTS' | 'SEARCH' | 'GATEWAY';

/** A deployable that the platform hosts, its configuration not yet read. */
export interface HostedProgram {
  readonly prefix: Prefix;
  readonly service: string;
  /** Where `src/main.ts` is, from the root of the repository. */
  readonly directory: string;
  /** The variables that it reads. */
  readonly schema: z.ZodObject;
  /** Whether its configuration has a variable. */
  readonly reads: (variable: string) => boolean;
  /** @throws ConfigError with all that is wrong */
  readonly read: (environment: Environment) => ProcessConfig;
  readonly start: (environment: Environment, resources: Resources) => Promise<Deployable>;
  /** What it adds to the operations port. */
  readonly operations: (environment: Environment, logger: Logger) => readonly OperationsRoutes[];
}

/** Every deployable, in the order in which they start; the gateway is last to start and first to end. */
export const programs: readonly HostedProgram[] = [
  host('AUTH', 'auth-server', authServer, authServerSchema),
  host('USERS', 'services/users', users, usersSchema),
  host('POSTS', 'services/posts', posts, postsSchema),
  host('COMMENTS', 'services/comments', comments, commentsSchema),
  host('SEARCH', 'services/search', search, searchSchema),
  host('GATEWAY', 'gateway', gateway, gatewaySchema),
];

/** All prefixes. */
export const prefixes: readonly Prefix[] = programs.map(({ prefix }) => prefix);

/**
 * The variables that a deployable reads.
 *
 * @throws Error when there is no such deployable
 */
export function schemaOf(service: string): z.ZodObject {
  const program = programs.find((one) => one.service === service);
  if (!program) throw new Error(`There is no deployable ${service}.`);
  return program.schema;
}

function host<Config extends ProcessConfig>(
  prefix: Prefix,
  directory: string,
  program: DeployableProgram<Config>,
  schema: z.ZodObject,
): HostedProgram {
  return {
    prefix,
    directory,
    schema,
    service: program.service,
    reads: (variable) => Object.hasOwn(schema.shape, variable),
    read: (environment) => program.readConfig(environment),
    start: (environment, resources) => program.start(program.readConfig(environment), resources),
    operations(environment, logger) {
      const routes = program.operations?.(program.readConfig(environment), logger);
      return routes ? [routes] : [];
    },
  };
}
