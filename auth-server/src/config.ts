import { flag, list, port, readConfig, seconds, url, type Environment } from '@trellis/config';
import { processVariables } from '@trellis/deployable';
import { z } from 'zod';
import { readClientsFile } from './clients-file.ts';
import { isNetwork } from './back-channel/address-guard.ts';
import { ADMIN_SCOPE, openidScopes, parseScope } from './scopes.ts';
import { readCertificate } from './tls-certificate.ts';

const DAY_S = 86_400;

/** Known to everybody, so worth nothing: production does without it. */
const DEVELOPMENT_SECRET = 'for development only: not a secret at all';

/** The auth-server's configuration, as read from its environment. */
export interface AuthServerConfig {
  readonly LOG_LEVEL: string;
  readonly OPERATIONS_PORT: number;
  readonly OPERATIONS_HOST: string;
  readonly PORT: number;
  readonly HOST: string;
  readonly ISSUER?: string | undefined;
  readonly AUDIENCES: readonly string[];
  readonly API_SCOPES: readonly string[];
  readonly CLIENTS_FILE?: string | undefined;
  readonly DATABASE_URL: string;
  readonly REDIS_URL: string;
  readonly REDIS_REPLICAS: number;
  readonly KEY_ENCRYPTION_SECRET: string;
  readonly COOKIE_SECRET: string;
  readonly DEMO_DATA: boolean;
  readonly NODE_ENV: string;
  readonly TRUSTED_PROXIES: readonly string[];
  readonly TLS_CERT_FILE?: string | undefined;
  readonly TLS_KEY_FILE?: string | undefined;
  readonly ACCESS_TOKEN_TTL_S: number;
  readonly ID_TOKEN_TTL_S: number;
  readonly CODE_TTL_S: number;
  readonly DEVICE_CODE_TTL_S: number;
  readonly DPOP_NONCE_REQUIRED: boolean;
  readonly REFRESH_TOKEN_IDLE_TTL_S: number;
  readonly REFRESH_TOKEN_TTL_S: number;
  readonly SESSION_IDLE_TTL_S: number;
  readonly SESSION_TTL_S: number;
  readonly TRANSACTION_TTL_S: number;
  readonly SIGN_IN_FAILURES_PER_ACCOUNT: number;
  readonly SIGN_IN_FAILURES_PER_ADDRESS: number;
  readonly SIGN_IN_WINDOW_S: number;
  readonly PASSWORD_HASH_CONCURRENCY: number;
  readonly KEY_ROTATION_INTERVAL_S: number;
  readonly KEY_PUBLICATION_LEAD_S: number;
  readonly KEY_RELOAD_INTERVAL_S: number;
  readonly AUDIT_RETENTION_S: number;
  readonly SIGN_UP: boolean;
  readonly MAIL_URL?: string | undefined;
  readonly LINK_TTL_S: number;
  readonly ADMIN_API: boolean;
  readonly REGISTRATION_TOKEN?: string | undefined;
  readonly BACKCHANNEL_NETWORKS: readonly string[];
}

/** The auth-server's environment. */
export const configSchema: z.ZodObject<Shape> = z.object({
  ...processVariables,
  PORT: port(4001).describe('Port to listen on. 0 takes any free port.'),
  HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
  ISSUER: url('http', 'https')
    .optional()
    .describe(
      'The issuer identifier: the public base URL, without a trailing slash. https, unless the host is a loopback address. Default: http://localhost and the port.',
    ),
  AUDIENCES: list(['http://localhost:4000/graphql']).describe(
    'Resource identifiers that tokens may be asked for, separated by spaces. The first is the default.',
  ),
  API_SCOPES: list(['read:data', 'read:profile', 'write:data']).describe(
    'Scopes of the protected APIs, separated by spaces, beside those of OpenID Connect.',
  ),
  CLIENTS_FILE: z
    .string()
    .optional()
    .describe('JSON array of RFC 7591 client metadata, registered at start.'),
  DATABASE_URL: url('postgres', 'postgresql').describe(
    'PostgreSQL, where accounts, clients, consents and signing keys are kept (schema auth).',
  ),
  REDIS_URL: redisUrl().describe(
    'Redis, where sessions, codes and grants are kept. Several URLs, separated by commas, are the seed nodes of a cluster.',
  ),
  REDIS_REPLICAS: count(0, 10, 0).describe(
    'Replicas of Redis that must have a consumed code or rotated refresh token before tokens are handed out; else the answer is 503. Not for a cluster.',
  ),
  KEY_ENCRYPTION_SECRET: secret(DEVELOPMENT_SECRET).describe(
    'At least 32 characters. Encrypts the signing keys at rest, hashes client secrets and authenticates refresh tokens. Required in production.',
  ),
  COOKIE_SECRET: secret(DEVELOPMENT_SECRET).describe(
    'At least 32 characters. Binds forms to browsers. Required in production.',
  ),
  DEMO_DATA: flag(false).describe('Demo accounts and demo clients. Refused in production.'),
  NODE_ENV: z
    .string()
    .default('development')
    .describe('production refuses demo data, missing secrets and an implied issuer.'),
  TRUSTED_PROXIES: list([]).describe(
    'Addresses or CIDR ranges of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed, separated by spaces.',
  ),
  TLS_CERT_FILE: z.string().optional().describe('PEM certificate chain, for https without a proxy.'),
  TLS_KEY_FILE: z.string().optional().describe('PEM private key of the certificate.'),
  ACCESS_TOKEN_TTL_S: seconds(60, 3_600, 900).describe('Lifetime of access tokens, seconds. 60 to 3600.'),
  ID_TOKEN_TTL_S: seconds(60, 3_600, 900).describe('Lifetime of id_tokens, seconds. 60 to 3600.'),
  CODE_TTL_S: seconds(1, 600, 600).describe('Lifetime of authorization codes, seconds. 1 to 600.'),
  DEVICE_CODE_TTL_S: seconds(1, 1_800, 600).describe(
    'Seconds in which a person has to enter the code that a device shows. 1 to 1800.',
  ),
  DPOP_NONCE_REQUIRED: flag(false).describe('Whether DPoP proofs need a nonce of this server.'),
  REFRESH_TOKEN_IDLE_TTL_S: seconds(1, 365 * DAY_S, 30 * DAY_S).describe(
    'Seconds after which an unused refresh token expires.',
  ),
  REFRESH_TOKEN_TTL_S: seconds(1, 3_650 * DAY_S, 90 * DAY_S).describe(
    'Seconds after which a grant ends, however often it was refreshed.',
  ),
  SESSION_IDLE_TTL_S: seconds(60, 30 * DAY_S, DAY_S / 2).describe(
    'Seconds without use after which a browser has to sign in again.',
  ),
  SESSION_TTL_S: seconds(60, 365 * DAY_S, 7 * DAY_S).describe(
    'Seconds after which a browser has to sign in again in any case.',
  ),
  TRANSACTION_TTL_S: seconds(60, 3_600, 900).describe(
    'Seconds that a person has for signing in and consenting.',
  ),
  SIGN_IN_FAILURES_PER_ACCOUNT: count(1, 1_000, 10).describe(
    'Failed sign-ins per account and window before further ones are answered 429.',
  ),
  SIGN_IN_FAILURES_PER_ADDRESS: count(1, 100_000, 100).describe(
    'Failed sign-ins per address and window before further ones are answered 429.',
  ),
  SIGN_IN_WINDOW_S: seconds(1, DAY_S, 900).describe('Window of the two limits on failed sign-ins, seconds.'),
  PASSWORD_HASH_CONCURRENCY: count(1, 64, 2).describe(
    'Passwords that are hashed at the same time; each takes 19 MiB and one thread.',
  ),
  KEY_ROTATION_INTERVAL_S: seconds(1, 365 * DAY_S, 30 * DAY_S).describe(
    'Seconds after which a signing key is replaced.',
  ),
  KEY_PUBLICATION_LEAD_S: seconds(1, 7 * DAY_S, 3_600).describe(
    'Seconds for which a new signing key is published before it signs. At least as long as resource servers cache the key set.',
  ),
  KEY_RELOAD_INTERVAL_S: seconds(1, 3_600, 10).describe(
    'Seconds between two looks at the signing keys that other instances may have rotated.',
  ),
  AUDIT_RETENTION_S: seconds(3_600, 3_650 * DAY_S, 180 * DAY_S).describe(
    'Seconds for which security events are kept in the database.',
  ),
  SIGN_UP: flag(false).describe('Whether people may make accounts by themselves. Needs MAIL_URL.'),
  MAIL_URL: z
    .literal('log:')
    .optional()
    .describe('How mail is sent: log: writes it into the log, for development. Without it there is none.'),
  LINK_TTL_S: seconds(60, 30 * DAY_S, DAY_S).describe(
    'Seconds for which one-time links for invitation, sign-up and reset work.',
  ),
  ADMIN_API: flag(false).describe(
    'Whether the admin API is served at /admin below the issuer, for tokens with that audience and the scope auth:admin.',
  ),
  REGISTRATION_TOKEN: z
    .string()
    .min(32, { error: 'must be at least 32 characters' })
    .regex(/^[A-Za-z0-9\-._~+/]+=*$/, { error: 'must be a bearer token (RFC 6750)' })
    .optional()
    .describe('The initial access token with which clients may register themselves. Without it none can.'),
  BACKCHANNEL_NETWORKS: list([]).describe(
    'Private networks in CIDR notation in which clients may be told of sign-outs, separated by spaces. Loopback addresses may outside production.',
  ),
});

type Shape = { readonly [Name in keyof AuthServerConfig]-?: z.ZodType<AuthServerConfig[Name]> };

/**
 * Reads the auth-server's environment; `AUTH_PORT` wins over `PORT`.
 *
 * @throws ConfigError with all that is wrong, contradictions and the clients file included
 */
export function readAuthServerConfig(environment: Environment): AuthServerConfig {
  return readConfig(configSchema, environment, {
    subject: 'the auth-server',
    prefix: 'AUTH',
    contradictions,
  });
}

/** Every scope that clients can be registered for. */
export function knownScopes(config: Pick<AuthServerConfig, 'API_SCOPES' | 'ADMIN_API'>): readonly string[] {
  return [...openidScopes, ...config.API_SCOPES, ...(config.ADMIN_API ? [ADMIN_SCOPE] : [])];
}

function contradictions(config: AuthServerConfig): readonly string[] {
  return [
    ...issuerProblems(config),
    ...audienceProblems(config.AUDIENCES),
    ...scopeProblems(config.API_SCOPES),
    ...lifetimeProblems(config),
    ...networkProblems(config.BACKCHANNEL_NETWORKS),
    ...tlsProblems(config),
    ...productionProblems(config),
    ...clientsFileProblems(config),
  ];
}

function issuerProblems({ ISSUER: issuer }: AuthServerConfig): string[] {
  if (issuer === undefined) return [];
  const { protocol, hostname, search, hash, username } = new URL(issuer);
  const problems: [boolean, string][] = [
    [issuer.endsWith('/'), 'ISSUER: must not end in a slash.'],
    [search !== '' || hash !== '' || username !== '', 'ISSUER: must have no query, fragment or user.'],
    [
      protocol === 'http:' && !isLoopbackHost(hostname),
      'ISSUER: must be https, except on a loopback address.',
    ],
  ];
  return problems.filter(([holds]) => holds).map(([, problem]) => problem);
}

/** Whether a host name, as URL spells it, is of this machine alone. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

function audienceProblems(audiences: readonly string[]): string[] {
  if (audiences.length === 0) return ['AUDIENCES: at least one is needed.'];
  return audiences
    .filter((audience) => !URL.canParse(audience) || audience.includes('#'))
    .map((audience) => `AUDIENCES: ${audience} is not an absolute URI without a fragment (RFC 8707).`);
}

function scopeProblems(scopes: readonly string[]): string[] {
  return scopes
    .filter(
      (scope) => parseScope(scope) === undefined || scope === ADMIN_SCOPE || openidScopes.includes(scope),
    )
    .map((scope) => `API_SCOPES: ${scope} is not possible as a scope of an API.`);
}

function networkProblems(networks: readonly string[]): string[] {
  return networks
    .filter((network) => !isNetwork(network))
    .map((network) => `BACKCHANNEL_NETWORKS: ${network} is no network in CIDR notation.`);
}

function lifetimeProblems(config: AuthServerConfig): string[] {
  const problems: [boolean, string][] = [
    [config.SIGN_UP && config.MAIL_URL === undefined, 'SIGN_UP: needs MAIL_URL.'],
    [
      config.REFRESH_TOKEN_IDLE_TTL_S > config.REFRESH_TOKEN_TTL_S,
      'REFRESH_TOKEN_IDLE_TTL_S: must not exceed REFRESH_TOKEN_TTL_S.',
    ],
    [
      config.REDIS_REPLICAS > 0 && config.REDIS_URL.includes(','),
      'REDIS_REPLICAS: is not possible with a cluster.',
    ],
    [config.SESSION_IDLE_TTL_S > config.SESSION_TTL_S, 'SESSION_IDLE_TTL_S: must not exceed SESSION_TTL_S.'],
    [
      config.KEY_RELOAD_INTERVAL_S > config.KEY_PUBLICATION_LEAD_S,
      'KEY_RELOAD_INTERVAL_S: must not exceed KEY_PUBLICATION_LEAD_S.',
    ],
    [
      config.KEY_PUBLICATION_LEAD_S > config.KEY_ROTATION_INTERVAL_S,
      'KEY_PUBLICATION_LEAD_S: must not exceed KEY_ROTATION_INTERVAL_S.',
    ],
  ];
  return problems.filter(([holds]) => holds).map(([, problem]) => problem);
}

function tlsProblems(config: AuthServerConfig): string[] {
  const hasCertificate = config.TLS_CERT_FILE !== undefined;
  if (hasCertificate !== (config.TLS_KEY_FILE !== undefined)) {
    return ['TLS_CERT_FILE and TLS_KEY_FILE: give both or neither.'];
  }
  const isHttps = config.ISSUER?.startsWith('https:') ?? false;
  if (hasCertificate && !isHttps) return ['TLS_CERT_FILE: the ISSUER must be https then.'];
  const endsElsewhere = config.TRUSTED_PROXIES.length > 0;
  if (hasCertificate) return certificateProblems(config);
  if (!isHttps || endsElsewhere) return [];
  return ['ISSUER: https needs TLS_CERT_FILE and TLS_KEY_FILE, or TRUSTED_PROXIES where a proxy ends TLS.'];
}

function certificateProblems({
  TLS_CERT_FILE: certFile = '',
  TLS_KEY_FILE: keyFile = '',
}: AuthServerConfig): string[] {
  try {
    readCertificate({ certFile, keyFile });
    return [];
  } catch (error) {
    return [`TLS_CERT_FILE and TLS_KEY_FILE: ${error instanceof Error ? error.message : String(error)}.`];
  }
}

function productionProblems(config: AuthServerConfig): string[] {
  if (config.NODE_ENV !== 'production') return [];
  const problems: [boolean, string][] = [
    [config.DEMO_DATA, 'DEMO_DATA: is refused in production.'],
    [config.ISSUER === undefined, 'ISSUER: is required in production.'],
    [
      config.KEY_ENCRYPTION_SECRET === DEVELOPMENT_SECRET,
      'KEY_ENCRYPTION_SECRET: is required in production.',
    ],
    [config.COOKIE_SECRET === DEVELOPMENT_SECRET, 'COOKIE_SECRET: is required in production.'],
    [config.MAIL_URL === 'log:', 'MAIL_URL: log: is refused in production.'],
  ];
  return problems.filter(([holds]) => holds).map(([, problem]) => problem);
}

function clientsFileProblems(config: AuthServerConfig): readonly string[] {
  if (config.CLIENTS_FILE === undefined) return [];
  return readClientsFile(config.CLIENTS_FILE, knownScopes(config)).problems;
}

function secret(defaultValue: string): z.ZodType<string> {
  return z.string().min(32, { error: 'must be at least 32 characters' }).default(defaultValue);
}

function count(min: number, max: number, defaultValue: number): z.ZodType<number> {
  return seconds(min, max, defaultValue);
}

function redisUrl(): z.ZodType<string> {
  const one = url('redis', 'rediss');
  return z.string().refine((urls) => urls.split(',').every((part) => one.safeParse(part).success), {
    error: 'must be a redis:// or rediss:// URL, or several separated by commas',
  });
}
