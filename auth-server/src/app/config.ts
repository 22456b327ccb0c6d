import {
  type Environment,
  flag,
  isLoopbackHost,
  list,
  nodeEnvironment,
  port,
  processVariables,
  readConfig,
  seconds,
  secrets,
  url,
  weaknessOf,
} from '@trellis/runtime';
import { z } from 'zod';
import type { AuthServerConfig } from './auth-server-config.ts';
import { contradictions } from './config-contradictions.ts';

const DAY_S = 86_400;

const mailUrl = z.string().refine((text) => text === 'log:' || isMailUrl(text), {
  error: 'must be log:, or an absolute URL with the scheme smtp, smtps or https',
});

/** A webhook on this machine may do without TLS. */
function isMailUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return (
    ['smtp:', 'smtps:', 'https:'].includes(protocol) || (protocol === 'http:' && isLoopbackHost(hostname))
  );
}

/** The auth-server's environment. */
export const configSchema: z.ZodObject<Shape> = z.object({
  ...processVariables,
  PORT: port(4001).describe('Port to listen on. 0 takes any free port.'),
  HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
  ISSUER: url('http', 'https')
    .optional()
    .describe(
      'The issuer identifier: the public base URL, without a trailing slash. https, unless the host is a loopback address. Default: http://localhost and the port, where HOST is a loopback address and NODE_ENV is not production.',
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
  KEY_ENCRYPTION_SECRET: secrets().describe(
    'Random, 128 bits or more; or several of these, separated by spaces, the newest first. Encrypts the signing keys at rest, seals what is kept in Redis, hashes client secrets and authenticates refresh tokens.',
  ),
  COOKIE_SECRET: secrets().describe(
    'Random, 128 bits or more; or several of these, separated by spaces, the newest first. Binds forms to browsers.',
  ),
  DEMO_DATA: flag(false).describe(
    'Demo accounts and demo clients. Only where issuer and HOST are loopback addresses and NODE_ENV is not production.',
  ),
  NODE_ENV: nodeEnvironment().describe(
    'development, test or production. production refuses conveniences of development on loopback addresses, too; elsewhere they are always refused.',
  ),
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
  REQUESTS_PER_ADDRESS: count(100, 1_000_000, 1_000).describe(
    'Requests that one address may send in 10 seconds to each group of endpoints before further ones are answered 429; its /24, or /56, may send four times as many, its /48 sixteen times. Sign-ins count as 5, requests that store something as 5, those for mail as 20. A client with a secret or key of its own has ten times as many, apart from its network. For each process.',
  ),
  ANONYMOUS_STORE_BYTES: count(1_048_576, 1_073_741_824, 16_777_216).describe(
    'Bytes of Redis for what clients without a secret may have stored: pushed requests, device codes and proofs; as many again for links sent by mail, and for counts of failures. Shared fairly by network. For each process.',
  ),
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
  MAIL_URL: mailUrl
    .optional()
    .describe(
      'How mail is sent: smtp://user:password@host:587 (STARTTLS is required, but on this machine), smtps://…, or the https URL of a webhook that sends it. log: writes it into the log, which is allowed where DEMO_DATA is. Without it there is no mail.',
    ),
  MAIL_FROM: z
    .string()
    .regex(/^[^\p{Cc}]*[^\s@]+@[^\s@]+$/u, { error: 'must be an address, or a name with an address in <>' })
    .optional()
    .describe('The sender of mail: Example <no-reply@example.com>. Needed with every MAIL_URL but log:.'),
  MAIL_WEBHOOK_SECRET: z
    .string()
    .superRefine((secret, context) => {
      const weakness = weaknessOf(secret);
      if (weakness !== undefined) context.addIssue({ code: 'custom', message: weakness });
    })
    .optional()
    .describe(
      'Key of the signatures with which the webhook knows this server (Standard Webhooks, HMAC-SHA256).',
    ),
  LINK_TTL_S: seconds(60, 30 * DAY_S, DAY_S).describe(
    'Seconds for which one-time links for invitation, sign-up and reset work.',
  ),
  ADMIN_API: flag(false).describe(
    'Whether the admin API is served at /admin below the issuer, for tokens with that audience and a scope of it: auth:admin for everything, or auth:accounts:read and the like.',
  ),
  ADMIN_SIGN_IN_MAX_AGE_S: seconds(60, DAY_S, 3_600).describe(
    'Seconds after signing in for which an administrator may change things by the admin API. Then a fresh sign-in is asked for.',
  ),
  REGISTRATION_TOKEN: z
    .string()
    .regex(/^[A-Za-z0-9\-._~+/]+=*$/, { error: 'must be a bearer token (RFC 6750)' })
    .superRefine((token, context) => {
      const weakness = weaknessOf(token);
      if (weakness !== undefined) context.addIssue({ code: 'custom', message: weakness });
    })
    .optional()
    .describe('The initial access token with which clients may register themselves. Without it none can.'),
  BACKCHANNEL_NETWORKS: list([]).describe(
    'Private networks in CIDR notation in which clients may be told of sign-outs, separated by spaces. Loopback addresses may where DEMO_DATA is allowed.',
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

function count(min: number, max: number, defaultValue: number): z.ZodType<number> {
  return seconds(min, max, defaultValue);
}

function redisUrl(): z.ZodType<string> {
  const one = url('redis', 'rediss');
  return z.string().refine((urls) => urls.split(',').every((part) => one.safeParse(part).success), {
    error: 'must be a redis:// or rediss:// URL, or several separated by commas',
  });
}
