import { authServer } from '@trellis/auth-server';
import { comments } from '@trellis/comments';
import type { Deployable, DeployableProgram, ProcessConfig, Resources } from '@trellis/deployable';
import type { Environment } from '@trellis/config';
import { gateway } from '@trellis/gateway';
import { posts } from '@trellis/posts';
import { users } from '@trellis/users';

/** The deployables by the prefix of their variables. */
export type Prefix = 'AUTH' | 'USERS' | 'POSTS' | 'COMMENTS' | 'GATEWAY';

/** A deployable that the platform hosts, its configuration not yet read. */
export interface HostedProgram {
  readonly prefix: Prefix;
  readonly service: string;
  /** Where `src/main.ts` is, from the root of the repository. */
  readonly directory: string;
  /** @throws ConfigError with all that is wrong */
  readonly check: (environment: Environment) => void;
  readonly start: (environment: Environment, resources: Resources) => Promise<Deployable>;
}

/** In the order in which they start; the gateway is last to start and first to end. */
export const hostedPrograms: readonly HostedProgram[] = [
  host('AUTH', 'auth-server', authServer),
  host('USERS', 'services/users', users),
  host('POSTS', 'services/posts', posts),
  host('COMMENTS', 'services/comments', comments),
  host('GATEWAY', 'gateway', gateway),
];

function host<Config extends ProcessConfig>(
  prefix: Prefix,
  directory: string,
  program: DeployableProgram<Config>,
): HostedProgram {
  return {
    prefix,
    directory,
    service: program.service,
    check: (environment) => void program.readConfig(environment),
    start: (environment, resources) => program.start(program.readConfig(environment), resources),
  };
}
