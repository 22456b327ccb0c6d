import { authServer, environmentTable as authServerVariables } from '@trellis/auth-server';
import { comments, environmentTable as commentsVariables } from '@trellis/comments';
import type {
  Deployable,
  DeployableProgram,
  Environment,
  OperationsRoutes,
  ProcessConfig,
  Resources,
  VariableTable,
} from '@trellis/runtime';
import { environmentTable as gatewayVariables, gateway } from '@trellis/gateway';
import { environmentTable as postsVariables, posts } from '@trellis/posts';
import { environmentTable as searchVariables, search } from '@trellis/search';
import { environmentTable as usersVariables, users } from '@trellis/users';

// What pages, settings and benchmarks are made from. Nothing else outside of cli/ imports a deployable.
export { describeAdminApi, fillPasswordFilter, lifeCycle, oauthErrors } from '@trellis/auth-server';
export { buildServer as buildComments } from '@trellis/comments';
export {
  buildClientSchema,
  documentedSettings,
  gatewayErrorCodes,
  limitCatalogue,
  readGatewayConfig,
  settingsInUse,
  settingsSchema,
  settingTable,
  stages,
  tokenProfiles,
  type CataloguedLimit,
  type DocumentedSetting,
  type TokenProfile,
} from '@trellis/gateway';
export { HEAP_FLAGS } from '@trellis/gateway/heap-flags';
export { S3FifoCache } from '@trellis/gateway/s3-fifo-cache';
export { buildServer as buildPosts } from '@trellis/posts';
export {
  buildServer as buildSearch,
  commentDocuments,
  postDocuments,
  runSearchCommand,
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
  /** Its folder, from the root of the repository. */
  readonly directory: string;
  /** What `import` finds it by; its `main` stands beside its entry, from sources and compiled. */
  readonly packageName: string;
  /** The variables that it reads. */
  readonly variables: VariableTable;
  /** Whether its configuration has a variable. */
  readonly reads: (variable: string) => boolean;
  /** @throws ConfigError with all that is wrong */
  readonly read: (environment: Environment) => ProcessConfig;
  readonly start: (environment: Environment, resources: Resources) => Promise<Deployable>;
  /** What it adds to the operations port. @param started what `start` has made, once it has */
  readonly operations: (
    environment: Environment,
    resources: Resources,
    started: () => Deployable | undefined,
  ) => readonly OperationsRoutes[];
}

/** Every deployable, in the order in which they start; the gateway is last to start and first to end. */
export const programs: readonly HostedProgram[] = [
  host('AUTH', 'auth-server', authServer, authServerVariables),
  host('USERS', 'services/users', users, usersVariables),
  host('POSTS', 'services/posts', posts, postsVariables),
  host('COMMENTS', 'services/comments', comments, commentsVariables),
  host('SEARCH', 'services/search', search, searchVariables),
  host('GATEWAY', 'gateway', gateway, gatewayVariables),
];

/** All prefixes. */
export const prefixes: readonly Prefix[] = programs.map(({ prefix }) => prefix);

/**
 * The variables that a deployable reads.
 *
 * @throws Error when there is no such deployable
 */
export function variablesOf(service: string): VariableTable {
  const program = programs.find((one) => one.service === service);
  if (!program) throw new Error(`There is no deployable ${service}.`);
  return program.variables;
}

function host<Config extends ProcessConfig, Started extends Deployable>(
  prefix: Prefix,
  directory: string,
  program: DeployableProgram<Config, Started>,
  variables: VariableTable,
): HostedProgram {
  return {
    prefix,
    directory,
    packageName: `@trellis/${program.service}`,
    variables,
    service: program.service,
    reads: (variable) => Object.hasOwn(variables, variable),
    read: (environment) => program.readConfig(environment),
    start: (environment, resources) => program.start(program.readConfig(environment), resources),
    operations(environment, resources, started) {
      const own = started as () => Started | undefined; // made by the program's start
      const routes = program.operations?.(program.readConfig(environment), resources, own);
      return routes ? [routes] : [];
    },
  };
}
