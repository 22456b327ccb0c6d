import { ConfigError, readSecretFiles, type Environment } from '@trellis/runtime';

/**
 * Variables of commands that hold secrets, so that `NAME_FILE` may name a file with each. Deployables read those of their own tables;
 * programs for AWS share a file of their own, `AWS_SHARED_CREDENTIALS_FILE`.
 */
export const commandSecrets = [
  'DATABASE_URL',
  'TRELLIS_SCHEMA_SECRET',
  'TRELLIS_PREVIEW_KEY',
  'TRELLIS_REGISTRY_CLIENT_SECRET',
  'TRELLIS_REGISTRY_TOKEN',
  'TRELLIS_SIGNING_KEY',
  'USAGE_DATABASE_URL',
] as const;

/**
 * What commands read in the place of `process.env`, which stays as it is: programs that a command starts inherit no secret from a file.
 *
 * @throws ConfigError when a file can't be used
 */
export function commandEnvironment(given: Environment = process.env): Environment {
  const { environment, problems } = readSecretFiles(given, commandSecrets);
  if (problems.size > 0) throw new ConfigError('this command', [...problems.values()]);
  return environment;
}
