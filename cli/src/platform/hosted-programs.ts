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

/** The deployables by the prefix of their variables. */
export type Prefix = 'AUTH' | 'USERS' | 'POSTS' | 'COMMENTS' | 'SEARCH' | 'GATEWAY';

/** A deployable that the platform hosts, its configuration not yet read. */
export interface HostedProgram {
  readonly prefix: Prefix;
  readonly service: string;
  /** Where `src/main.ts` is, from the root of the repository. */
  readonly directory: string;
  /** Whether its configuration has a variable. */
  readonly reads: (variable: string) => boolean;
  /** @throws ConfigError with all that is wrong */
  readonly check: (environment: Environment) => void;
  readonly start: (environment: Environment, resources: Resources) => Promise<Deployable>;
  /** What it adds to the operations port. */
  readonly operations: (environment: Environment, logger: Logger) => readonly OperationsRoutes[];
}

/** In the order in which they start; the gateway is last to start and first to end. */
export const hostedPrograms: readonly HostedProgram[] = [
  host('AUTH', 'auth-server', authServer, authServerSchema),
  host('USERS', 'services/users', users, usersSchema),
  host('POSTS', 'services/posts', posts, postsSchema),
  host('COMMENTS', 'services/comments', comments, commentsSchema),
  host('SEARCH', 'services/search', search, searchSchema),
  host('GATEWAY', 'gateway', gateway, gatewaySchema),
];

/** All prefixes. */
export const prefixes: readonly Prefix[] = hostedPrograms.map(({ prefix }) => prefix);

function host<Config extends ProcessConfig>(
  prefix: Prefix,
  directory: string,
  program: DeployableProgram<Config>,
  schema: { readonly shape: object },
): HostedProgram {
  return {
    prefix,
    directory,
    service: program.service,
    reads: (variable) => Object.hasOwn(schema.shape, variable),
    check: (environment) => void program.readConfig(environment),
    start: (environment, resources) => program.start(program.readConfig(environment), resources),
    operations(environment, logger) {
      const routes = program.operations?.(program.readConfig(environment), logger);
      return routes ? [routes] : [];
    },
  };
}
