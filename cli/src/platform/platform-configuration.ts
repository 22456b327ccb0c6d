import { ConfigError, type Environment } from '@trellis/runtime';
import { bringsConveniences, placeWithoutConveniences } from './conveniences.ts';
import { areAllExternal } from './external-stores.ts';
import { programs, prefixes } from '../programs.ts';
import { readAllSecretFiles } from './secret-files.ts';
import type { PlatformConfig } from './environment-table.ts';
import { readPlatformConfig } from './platform-config.ts';
import { describeSharedPorts } from './ports.ts';
import { makeSecrets } from './secrets.ts';
import { describeEnvironments } from './service-environments.ts';

/** Stands in for a store that is not open yet, while configurations are read. */
export const PENDING: { readonly database: string; readonly redis: string } = {
  database: 'postgres://pending.invalid/pending',
  redis: 'redis://pending.invalid',
};

/** What {@link readConfiguration} returns. */
export interface PlatformConfiguration {
  readonly config: PlatformConfig;
  /** With the secrets from files. */
  readonly environment: Environment;
}

/**
 * Reads the platform's own variables and, with stand-ins for stores, ports and secrets, those of every deployable.
 *
 * @param supergraphFile the gateway's supergraph
 * @throws ConfigError with the problems of all of them at once, before anything has started
 */
export async function readConfiguration(
  given: Environment,
  supergraphFile: string,
): Promise<PlatformConfiguration> {
  const { environment, problems: unread } = readAllSecretFiles(given);
  const own = problemsOf(() => readPlatformConfig(environment));
  const config = own.length === 0 ? readPlatformConfig(environment) : readPlatformConfig({});
  const problems = [
    ...unread.values(),
    ...own,
    ...(own.length === 0 ? describeSharedPorts(config) : []),
    ...missingConveniences(config, environment, unread),
    ...(await problemsOfDeployables(config, environment, supergraphFile)),
  ];
  if (problems.length > 0) throw new ConfigError('the platform', withoutRepetitions(problems));
  return { config, environment };
}

async function problemsOfDeployables(
  config: PlatformConfig,
  environment: Environment,
  supergraphFile: string,
): Promise<readonly string[]> {
  const environments = describeEnvironments({
    config,
    environment,
    secrets: await makeSecrets(),
    stores: {
      databaseUrls: Object.fromEntries(prefixes.map((prefix) => [prefix, PENDING.database])),
      redisUrl: PENDING.redis,
    },
    ports: { AUTH: 1, USERS: 2, POSTS: 3, COMMENTS: 4, SEARCH: 6, GATEWAY: 5, WEB: 7, DOCS: 8 },
    supergraphFile,
  });
  return programs.flatMap(({ prefix, service, read }) =>
    problemsOf(() => read(environments[prefix])).map((problem) => `${service}: ${problem}`),
  );
}

/** Secrets that no deployable misses by itself, each with the names that it may have. */
const platformSecrets: readonly (readonly string[])[] = [
  ['USER_CONTEXT_PRIVATE_KEY', 'GATEWAY_USER_CONTEXT_PRIVATE_KEY'],
  ['USERS_SERVICE_PRIVATE_KEY'],
  ['POSTS_SERVICE_PRIVATE_KEY'],
  ['COMMENTS_SERVICE_PRIVATE_KEY'],
  ['SEARCH_SERVICE_PRIVATE_KEY'],
  ['SERVICE_JWKS'],
];

/** What the platform does not bring, and the environment does not give. */
function missingConveniences(
  config: PlatformConfig,
  environment: Environment,
  unread: ReadonlyMap<string, string>,
): readonly string[] {
  if (bringsConveniences(config, environment)) return [];
  const place = placeWithoutConveniences(config);
  const missing = platformSecrets.filter(
    (names) => !names.some((name) => environment[name] || unread.has(name)),
  );
  return [
    ...((environment['DEMO_DATA'] || 'false') === 'false' ? [] : [`DEMO_DATA is rejected ${place}.`]),
    ...(areAllExternal('REDIS_URL', environment)
      ? []
      : [`REDIS_URL is required ${place}: the embedded Redis is for development.`]),
    ...(config.PUBLISH_SUBGRAPHS !== 'true' || environment['TRELLIS_SIGNING_KEY']
      ? []
      : [`TRELLIS_SIGNING_KEY is required ${place} with PUBLISH_SUBGRAPHS. npx trellis keys new makes one.`]),
    ...missing.map(
      ([name = '']) =>
        `${name} is required ${place}: no secret is generated there. npm run -s secrets makes them.`,
    ),
  ];
}

/** The same variable is read by many; what one has said of it, the others need not. */
export function withoutRepetitions(problems: readonly string[]): readonly string[] {
  const bare = (problem: string): string => problem.replace(/^[a-z-]+: /, '');
  return problems.filter(
    (problem, index) => problems.findIndex((other) => bare(other) === bare(problem)) === index,
  );
}

/** The problems that a reading finds; none when it succeeds. */
export function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}
