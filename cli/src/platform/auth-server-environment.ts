import { randomBytes } from 'node:crypto';
import { environmentTable, readAuthServerConfig } from '@trellis/auth-server';
import {
  ConfigError,
  allowsConveniences,
  readSecretFiles,
  sensitiveNames,
  type Environment,
  type NodeEnvironment,
} from '@trellis/runtime';
import { problemOfDirectory } from './data-directory.ts';
import { readDataDirectory } from './environment-table.ts';
import { PENDING, problemsOf, withoutRepetitions } from './platform-configuration.ts';
import { withoutEmpty } from './service-environments.ts';

/** The environment of an auth-server that is used alone. */
export interface AuthServerEnvironment {
  /** What the user has set, secrets from files included. */
  readonly given: Environment;
  /** Absolute. */
  readonly dataDirectory: string;
  /** Whether stores, secrets and demo data may be brought for what is not given. */
  readonly bringsConveniences: boolean;
  /** Files with secrets that can't be used, by the variable that they stand for. */
  readonly unread: ReadonlyMap<string, string>;
}

/** Variables that a data directory can give in the place of the user. */
const broughtVariables = ['DATABASE_URL', 'REDIS_URL', 'KEY_ENCRYPTION_SECRET', 'COOKIE_SECRET'] as const;

/** Reads what the user has set. Nothing is checked, and nothing outside of files with secrets is looked at. */
export function readAuthServerEnvironment(environment: Environment): AuthServerEnvironment {
  const names = sensitiveNames(environmentTable, 'AUTH');
  const { environment: resolved, problems: unread } = readSecretFiles(environment, names);
  const given = withoutEmpty(resolved);
  return {
    given,
    unread,
    dataDirectory: readDataDirectory(given),
    bringsConveniences: allowsConveniences({
      NODE_ENV: given['NODE_ENV'] as NodeEnvironment | undefined, // another word is a problem of the configuration
      HOST: given['AUTH_HOST'] ?? given['HOST'] ?? '127.0.0.1',
      ISSUER: given['AUTH_ISSUER'] ?? given['ISSUER'],
    }),
  };
}

/** The value of a variable, under the name that wins. */
export function valueOf(environment: Environment, variable: string): string | undefined {
  return environment[`AUTH_${variable}`] ?? environment[variable];
}

/** What a data directory would have to give. */
export function missingOf({ given }: Pick<AuthServerEnvironment, 'given'>): readonly string[] {
  return broughtVariables.filter((variable) => valueOf(given, variable) === undefined);
}

/**
 * Checks a configuration whole, before anything is opened.
 *
 * @param complete the environment as the auth-server will read it, stand-ins included
 * @throws ConfigError with all that is wrong
 */
export function checkConfiguration(
  { unread }: AuthServerEnvironment,
  complete: Environment,
  others: readonly string[] = [],
): void {
  const named = [...unread.keys()].map((name) => name.replace(/^AUTH_/, ''));
  const wrong = problemsOf(() => readAuthServerConfig(complete));
  const problems = withoutRepetitions([
    ...unread.values(),
    ...others,
    ...wrong.filter((problem) => !named.some((name) => problem.includes(name))),
  ]);
  if (problems.length > 0) throw new ConfigError('the auth-server', problems);
}

/** The same, with stand-ins for what the data directory will give. */
export function checkWithStandIns(environment: AuthServerEnvironment): void {
  const { given, dataDirectory } = environment;
  const secret = randomBytes(32).toString('base64url');
  const standIns = {
    DATABASE_URL: PENDING.database,
    REDIS_URL: PENDING.redis,
    KEY_ENCRYPTION_SECRET: secret,
    COOKIE_SECRET: secret,
    DEMO_DATA: 'true',
  };
  const problem = problemOfDirectory(dataDirectory);
  checkConfiguration(
    environment,
    { ...standIns, ...given },
    problem === undefined ? [] : [`DATA_DIR: ${problem}.`],
  );
}
