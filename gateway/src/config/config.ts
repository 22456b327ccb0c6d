import { problemOfRedisUrl } from '@trellis/redis';
import {
  ConfigError,
  processVariables,
  readConfig,
  type ConfigOf,
  type Environment,
  type Forms,
  type ProcessConfig,
} from '@trellis/runtime';
import type { StampedFile } from '@trellis/runtime/watch-file';
import type { ListedOperations } from '../caching/safelist.ts';
import { issuerProblems } from './configured-issuers.ts';
import { mayBeForwarded } from '../settings/forms.ts';
import { locateSupergraph, type SupergraphSource } from '../supergraph/supergraph-source.ts';
import { readSettings, type ReadSettings } from './read-settings.ts';
import type { GatewaySettings } from '../settings/settings.ts';
import { variables } from '../settings/variables.ts';

/** What is asked of texts that are more than texts. */
const forms: Forms = {
  supergraph: (text) =>
    locateSupergraph(text) === undefined
      ? 'must be a path, an http(s) URL, or running subgraphs, each once: name=http://… name=https://…'
      : undefined,
  headerName: (name) =>
    mayBeForwarded(name.toLowerCase())
      ? undefined
      : 'must not name headers of the connection, of the message, or that pass for what the gateway says (x-user-*, …)',
  redisUrl: problemOfRedisUrl,
};

/** The gateway's environment. With the prefix `GATEWAY_`, a variable wins over the plain name. */
export const environmentTable: typeof processVariables & typeof variables = {
  ...processVariables,
  ...variables,
};

type Environmental = ProcessConfig & ConfigOf<typeof variables>;

/** All that the gateway is configured with. */
export type GatewayConfig = Environmental & {
  /** From the file that CONFIG names; empty without one. */
  readonly settings: GatewaySettings;
  /** What was read with the settings; absent without a file. */
  readonly listed?: ListedOperations | undefined;
  /** What all of it was read from; absent without a file. */
  readonly files?: readonly StampedFile[] | undefined;
  /** What `${NAME}` in the file stands for. */
  readonly environment: Environment;
  /** A supergraph of this process, in the place of SUPERGRAPH. */
  readonly supergraphSource?: SupergraphSource | undefined;
};

/** A configuration as one process sends it to another. */
export type SentConfig = GatewayConfig & { readonly supergraphSource: undefined };

/** @returns all that can be sent: a supergraph of this process stays here */
export function sentConfig(config: GatewayConfig): SentConfig {
  return { ...config, supergraphSource: undefined };
}

/**
 * Reads the environment, and the file that CONFIG names. A variable that is empty counts as absent.
 *
 * @throws ConfigError with all that is wrong
 */
export function readGatewayConfig(environment: Environment): GatewayConfig {
  const problems: string[] = [];
  const collect = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(...error.problems);
      return undefined;
    }
  };
  const config = collect(() =>
    readConfig(environmentTable, environment, {
      subject: 'gateway',
      prefix: 'GATEWAY',
      forms,
      brokenRules: findBrokenRules,
    }),
  );
  const file = environment['GATEWAY_CONFIG'] || environment['CONFIG'];
  const read = collect((): Pick<GatewayConfig, keyof ReadSettings> =>
    file ? readSettings(file, environment) : { settings: {} },
  );
  if (config) problems.push(...problemsTogether({ ...config, settings: read?.settings ?? {} }));
  if (!config || !read || problems.length > 0) throw new ConfigError((config && file) ?? 'gateway', problems);
  return Object.freeze({ ...config, ...read, environment });
}

/** The configuration whose file says something else now. @throws ConfigError where that is invalid beside the environment */
export function configWith(config: GatewayConfig, file: string, read: ReadSettings): GatewayConfig {
  const changed = { ...config, ...read };
  const problems = problemsTogether(changed);
  if (problems.length > 0) throw new ConfigError(file, problems);
  return changed;
}

/** What is wrong with a file beside the environment, at a start and after each change of the file. */
function problemsTogether(config: Environmental & Pick<GatewayConfig, 'settings'>): readonly string[] {
  const { CACHE_REDIS_URL, WORKERS, SUPERGRAPH, settings } = config;
  const { responseCache, subscriptions } = settings;
  const problems = [...issuerProblems(config)];
  if (WORKERS > 1 && subscriptions?.callback)
    problems.push('subscriptions.callback: it needs WORKERS to be 1, as a subscription is in one process.');
  if (SUPERGRAPH === 'registry') problems.push(...absentRegistry(settings));
  if (!CACHE_REDIS_URL && responseCache && !responseCache.redisUrl)
    problems.push('responseCache: it needs redisUrl, or the environment CACHE_REDIS_URL.');
  return problems;
}

/** What a registry can't be followed without. */
function absentRegistry({ registry }: GatewaySettings): readonly string[] {
  const needed = ['source', 'graph', 'trust'] as const;
  return needed
    .filter((name) => registry?.[name] === undefined)
    .map((name) => `registry.${name}: it is needed where SUPERGRAPH is registry.`);
}

function findBrokenRules(config: Environmental): readonly string[] {
  const tokenVariables = ['TOKEN_ISSUER', 'TOKEN_AUDIENCE', 'TOKEN_JWKS_URL'] as const;
  const absent = tokenVariables.filter((name) => config[name] === undefined);
  if (absent.length === 0 || absent.length === tokenVariables.length) return [];
  return absent.map((name) => `${name} is required where one of ${tokenVariables.join(', ')} is given.`);
}

/**
 * Names of subgraphs that the configuration has rules for and the supergraph does not have: each is a mistake in writing, or
 * left over. It is no error, as one configuration may serve supergraphs of several stages.
 *
 * @returns for each the setting and the name, for example `traffic.subgraphs.uesrs`
 */
export function unknownSubgraphs(config: GatewayConfig, known: ReadonlyMap<string, unknown>): string[] {
  const { headers, subgraphConnections, subgraphErrors, subscriptions, traffic } = config.settings;
  const places: readonly (readonly [string, object])[] = [
    ['SUBGRAPH_URLS', config.SUBGRAPH_URLS],
    ['headers.subgraphs', headers?.subgraphs ?? {}],
    ['subgraphConnections.subgraphs', subgraphConnections?.subgraphs ?? {}],
    ['subgraphErrors.subgraphs', subgraphErrors?.subgraphs ?? {}],
    ['subscriptions.subgraphUrls', subscriptions?.subgraphUrls ?? {}],
    ['subscriptions.subgraphs', subscriptions?.subgraphs ?? {}],
    ['traffic.subgraphs', traffic?.subgraphs ?? {}],
  ];
  return places.flatMap(([setting, rules]) =>
    Object.keys(rules)
      .filter((name) => !known.has(name))
      .map((name) => `${setting}.${name}`),
  );
}
