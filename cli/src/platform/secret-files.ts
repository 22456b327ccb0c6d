import {
  ConfigError,
  readSecretFiles,
  sensitiveNames,
  type Environment,
  type ResolvedEnvironment,
} from '@trellis/runtime';
import { programs } from '../programs.ts';

/**
 * Reads the files with secrets for all deployables together, before anything is derived from what the environment names: a
 * `DATABASE_URL_FILE` names a store as well as a `DATABASE_URL` does.
 */
export function readAllSecretFiles(environment: Environment): ResolvedEnvironment {
  const names = programs.flatMap(({ variables, prefix }) => sensitiveNames(variables, prefix));
  return readSecretFiles(environment, [...new Set(names)]);
}

/** The same for a command. @throws ConfigError when a file can't be used */
export function withSecretFiles(environment: Environment): Environment {
  const { environment: resolved, problems } = readAllSecretFiles(environment);
  if (problems.size > 0) throw new ConfigError('the environment', [...problems.values()]);
  return resolved;
}
