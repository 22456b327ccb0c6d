import { dirname, join } from 'node:path';
import type { Environment } from '@trellis/runtime';
import { publicServiceKey } from '@trellis/subgraph-protocol';
import { addressOf, internalAddressOf } from './addresses.ts';
import { prefixes, type Prefix } from '../programs.ts';
import { bringsConveniences, servesDocumentation, servesWebApplication } from './conveniences.ts';
import { hasDocumentationSite } from '../sites/documentation/build-documentation-site.ts';
import { hasWebApplication } from '../sites/web-application/build-web-application.ts';
import type { PlatformConfig } from './environment-table.ts';
import type { Ports } from './ports.ts';
import type { PlatformSecrets, ServiceName } from './secrets.ts';
import type { Stores } from './stores.ts';
import { publicUserContextKeys } from './user-context-keys.ts';

/** What {@link describeEnvironments} derives the environments from. */
export interface EnvironmentsOptions {
  readonly config: PlatformConfig;
  /** What the user has set; it wins over everything derived. */
  readonly environment: Environment;
  readonly secrets: PlatformSecrets;
  readonly stores: Pick<Stores, 'databaseUrls' | 'redisUrl'>;
  readonly ports: Ports;
  readonly supergraphFile: string;
}

const SUBGRAPHS = [
  ['users', 'USERS'],
  ['posts', 'POSTS'],
  ['comments', 'COMMENTS'],
  ['search', 'SEARCH'],
] as const;

/**
 * The environment of every deployable: what the user has set, and beside it what follows from the platform's own
 * stores, ports and secrets. The plain PORT is taken out, because it can't be meant for all of them.
 */
export function describeEnvironments(options: EnvironmentsOptions): Readonly<Record<Prefix, Environment>> {
  const { PORT: _port, ...given } = options.environment;
  const entries = prefixes.map((prefix) => [
    prefix,
    {
      ...derive(prefix, options),
      ...withoutEmpty(given),
      [`${prefix}_PORT`]: String(options.ports[prefix]),
    },
  ]);
  return Object.fromEntries(entries) as Record<Prefix, Environment>; // one entry a prefix
}

/** Leaves out empty variables: they count as absent, so they must not hide a derived one. */
export function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
}

function derive(prefix: Prefix, options: EnvironmentsOptions): Environment {
  const { config, stores } = options;
  const isDevelopment = bringsConveniences(config, options.environment);
  const common = {
    NODE_ENV: config.NODE_ENV ?? (isDevelopment ? 'development' : 'production'),
    LOG_LEVEL: config.LOG_LEVEL,
    DATABASE_URL: stores.databaseUrls[prefix],
    REDIS_URL: stores.redisUrl,
  };
  switch (prefix) {
    case 'GATEWAY':
      return { ...common, ...gatewayEnvironment(options) };
    case 'AUTH':
      return { ...common, ...authEnvironment(options) };
    case 'USERS':
      return { ...common, ...subgraphEnvironment('users', options) };
    case 'POSTS':
      return { ...common, ...subgraphEnvironment('posts', options) };
    case 'COMMENTS':
      return { ...common, ...subgraphEnvironment('comments', options) };
    case 'SEARCH':
      return { ...common, ...subgraphEnvironment('search', options) };
    default:
      return prefix satisfies never;
  }
}

function gatewayEnvironment(options: EnvironmentsOptions): Environment {
  const { config, ports, secrets, supergraphFile, environment } = options;
  return {
    SUPERGRAPH: supergraphFile,
    // Idempotency records are stored by the subgraph that does the work.
    FORWARD_HEADERS: 'idempotency-key',
    PRESENCE_INTERVAL_S: '15',
    PAGE_EXAMPLES: join(dirname(supergraphFile), 'examples'), // they come with the graph
    PAGE_LINKS: pageLinks(options),
    ERROR_REFERENCE: errorReference(options),
    SUBGRAPH_URLS: SUBGRAPHS.map(
      ([name, prefix]) => `${name}=${internalAddressOf(prefix, ports, environment)}/graphql`,
    ).join(' '),
    TOKEN_ISSUER: issuerOf(options),
    TOKEN_AUDIENCE: audienceOf(options),
    TOKEN_JWKS_URL: `${internalAddressOf('AUTH', ports, environment)}/jwks.json`,
    ...(bringsConveniences(config, environment) && {
      USER_CONTEXT_PRIVATE_KEY: JSON.stringify(secrets.userContextKey),
    }),
  };
}

/** Where the landing page leads. */
function pageLinks({ config, environment, ports }: EnvironmentsOptions): string {
  const links = [
    ...(servesWebApplication(config, environment) && hasWebApplication()
      ? [['Sample_application', 'WEB'] as const]
      : []),
    ...(documents(config, environment) ? [['Documentation', 'DOCS'] as const] : []),
  ];
  return links.map(([name, prefix]) => `${name}=${addressOf(prefix, ports)}`).join(' ');
}

/** The page of the documentation site that describes codes of errors. */
function errorReference({ config, environment, ports }: EnvironmentsOptions): string | undefined {
  return documents(config, environment) ? `${addressOf('DOCS', ports)}/errors.html` : undefined;
}

function documents(config: PlatformConfig, environment: Environment): boolean {
  return servesDocumentation(config, environment) && hasDocumentationSite();
}

function authEnvironment(options: EnvironmentsOptions): Environment {
  const { config, environment, ports, secrets } = options;
  const derived = { AUDIENCES: audienceOf(options), ERROR_REFERENCE: errorReference(options) };
  // Others must name their issuer and bring their own secrets: generated ones lie beside the data they protect.
  if (!bringsConveniences(config, environment)) return { ...derived, DEMO_DATA: 'false' };
  return {
    ...derived,
    DEMO_DATA: 'true',
    DEMO_WEB_ORIGIN: addressOf('WEB', ports),
    DEMO_EXPLORER_ORIGIN: addressOf('GATEWAY', ports),
    ISSUER: addressOf('AUTH', ports),
    KEY_ENCRYPTION_SECRET: secrets.keyEncryptionSecret,
    COOKIE_SECRET: secrets.cookieSecret,
  };
}

function subgraphEnvironment(
  service: ServiceName,
  { config, secrets, environment, ports }: EnvironmentsOptions,
): Environment {
  return {
    ...(bringsConveniences(config, environment) && {
      SERVICE_PRIVATE_KEY: JSON.stringify(secrets.serviceKeys[service]),
      SERVICE_JWKS: JSON.stringify({ keys: Object.values(secrets.serviceKeys).map(publicServiceKey) }),
    }),
    USERS_URL: internalAddressOf('USERS', ports, environment),
    POSTS_URL: internalAddressOf('POSTS', ports, environment),
    COMMENTS_URL: internalAddressOf('COMMENTS', ports, environment),
    ...(!environment['USER_CONTEXT_JWKS_URL'] && {
      USER_CONTEXT_JWKS: publicUserContextKeys(secrets, environment),
    }),
  };
}

/** What tokens name as their issuer: the gateway must expect what the auth-server writes. */
export function issuerOf({ environment, ports }: Pick<EnvironmentsOptions, 'environment' | 'ports'>): string {
  return environment['AUTH_ISSUER'] || environment['ISSUER'] || addressOf('AUTH', ports);
}

/** The first audience is the gateway's own. */
function audienceOf({ environment, ports }: EnvironmentsOptions): string {
  const audiences = environment['AUTH_AUDIENCES'] || environment['AUDIENCES'] || '';
  return (
    audiences.split(/\s+/).find((audience) => audience !== '') ?? `${addressOf('GATEWAY', ports)}/graphql`
  );
}
