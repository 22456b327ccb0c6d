import type { Environment } from '@trellis/config';
import type { Prefix } from './hosted-programs.ts';
import type { PlatformConfig } from './platform-config.ts';
import { publicUserContextKeys, type PlatformSecrets } from './secrets.ts';
import type { Stores } from './stores.ts';

/** Where everything listens, ports settled. */
export type Ports = Readonly<Record<Prefix, number>>;

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

/**
 * The environment of every deployable: what the user has set, and beside it what follows from the platform's own
 * stores, ports and secrets. The plain PORT is taken out, because it can't be meant for all of them.
 */
export function describeEnvironments(options: EnvironmentsOptions): Readonly<Record<Prefix, Environment>> {
  const { PORT: _ofNobody, ...given } = options.environment;
  const prefixes: readonly Prefix[] = ['AUTH', 'USERS', 'POSTS', 'COMMENTS', 'GATEWAY'];
  const entries = prefixes.map((prefix) => [
    prefix,
    { ...derive(prefix, options), ...withoutEmpty(given), ...portOf(prefix, options) },
  ]);
  return Object.fromEntries(entries) as Record<Prefix, Environment>; // one entry a prefix
}

/** The address of a deployable as others name it. */
export function addressOf(prefix: Prefix, ports: Ports): string {
  return `http://localhost:${ports[prefix]}`;
}

function derive(prefix: Prefix, options: EnvironmentsOptions): Environment {
  const common = { NODE_ENV: options.config.NODE_ENV, LOG_LEVEL: options.config.LOG_LEVEL };
  if (prefix === 'GATEWAY') return { ...common, ...gatewayEnvironment(options) };
  const owned = {
    ...common,
    DATABASE_URL: options.stores.databaseUrls[prefix],
    DEMO_DATA: demoData(options.config),
  };
  return prefix === 'AUTH'
    ? { ...owned, ...authEnvironment(options) }
    : { ...owned, ...subgraphEnvironment(options) };
}

function gatewayEnvironment({
  ports,
  secrets,
  supergraphFile,
  environment,
}: EnvironmentsOptions): Environment {
  const issuer = environment['AUTH_ISSUER'] ?? environment['ISSUER'] ?? addressOf('AUTH', ports);
  const subgraphs = [
    ['users', 'USERS'],
    ['posts', 'POSTS'],
    ['comments', 'COMMENTS'],
  ] as const;
  return {
    SUPERGRAPH: supergraphFile,
    SUBGRAPH_URLS: subgraphs.map(([name, prefix]) => `${name}=${addressOf(prefix, ports)}/graphql`).join(' '),
    TOKEN_ISSUER: issuer,
    TOKEN_AUDIENCE: audienceOf(ports, environment),
    TOKEN_JWKS_URL: `${addressOf('AUTH', ports)}/jwks.json`,
    USER_CONTEXT_PRIVATE_KEY: JSON.stringify(secrets.userContextKey),
  };
}

function authEnvironment({ config, ports, secrets, stores, environment }: EnvironmentsOptions): Environment {
  const isProduction = config.NODE_ENV === 'production';
  return {
    AUDIENCES: audienceOf(ports, environment),
    REDIS_URL: stores.redisUrl,
    // Production must name its issuer and bring its own secrets: generated ones lie beside the data they protect.
    ...(!isProduction && {
      ISSUER: addressOf('AUTH', ports),
      KEY_ENCRYPTION_SECRET: secrets.keyEncryptionSecret,
      COOKIE_SECRET: secrets.cookieSecret,
    }),
  };
}

function subgraphEnvironment({ secrets, environment }: EnvironmentsOptions): Environment {
  const isRemote = Boolean(environment['USER_CONTEXT_JWKS_URL']);
  return isRemote ? {} : { USER_CONTEXT_JWKS: publicUserContextKeys(secrets) };
}

function audienceOf(ports: Ports, environment: Environment): string {
  const audiences = environment['AUTH_AUDIENCES'] ?? environment['AUDIENCES'];
  return (
    audiences?.split(/\s+/).find((audience) => audience !== '') ?? `${addressOf('GATEWAY', ports)}/graphql`
  );
}

function demoData({ NODE_ENV }: PlatformConfig): string {
  return NODE_ENV === 'production' ? 'false' : 'true';
}

function portOf(prefix: Prefix, { ports }: EnvironmentsOptions): Environment {
  return { [`${prefix}_PORT`]: String(ports[prefix]) };
}

/** An empty variable counts as absent, so it must not hide a derived one. */
function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
}
