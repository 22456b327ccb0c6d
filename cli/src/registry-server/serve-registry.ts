import type { Composers } from '@trellis/composition';
import { readOfflineSettings } from '@trellis/gateway/offline';
import { createTokenAuthentication, type RevocationCheck } from '@trellis/gateway/token-authentication';
import { createPool, migrate } from '@trellis/postgres';
import { createRecordSigners, RegistryError, trustIn, TrustedKeys } from '@trellis/registry';
import { ConfigError, createLogger, type Logger } from '@trellis/runtime';
import { createOutageLog } from '@trellis/runtime/outage-log';
import { readKeyText } from '../registry/key-text.ts';
import type { Environment } from '../registry/registry-access.ts';
import { createRegistryServer } from './registry-server.ts';

/** The options of `trellis registry serve`. The database and the key come from the environment alone. */
export interface ServeOptions {
  readonly port?: string;
  readonly host?: string;
  readonly issuer?: string;
  readonly audience?: string;
  readonly publicUrl?: string;
  /** Seconds, or `off`. */
  readonly revocationSeconds?: string;
  /** `required` for changes, or `off`. */
  readonly boundTokens?: string;
  readonly operations?: readonly string[];
  /** A `gateway.yaml`. */
  readonly limits?: string;
  readonly composers?: Composers;
}

/** A registry that serves. */
export interface RunningRegistry {
  readonly url: string;
  close(): Promise<void>;
}

const SCHEMA = 'registry';

/** Later than the server ends a statement: a connection that is lost without a word is given up. */
const QUERY_TIMEOUT_MS = 8_000;

/** A revoked token is noticed within so many seconds. */
const REVOCATION_S = { default: 10, min: 1, max: 900 } as const;

/**
 * Starts a registry: `DATABASE_URL`, `TRELLIS_SIGNING_KEY` (several while a key is replaced: of those that a log trusts, the first
 * signs), the client as which it asks about tokens and, where keys were replaced,
 * `TRELLIS_REGISTRY_TRUST`.
 *
 * @throws RegistryError where something is missing; the database's own errors
 */
export async function serveRegistry(options: ServeOptions, env: Environment): Promise<RunningRegistry> {
  const connectionString = needed(env['DATABASE_URL'], 'DATABASE_URL');
  const issuer = needed(
    options.issuer ?? env['TRELLIS_REGISTRY_ISSUER'],
    '--issuer or TRELLIS_REGISTRY_ISSUER',
  );
  const audience = needed(
    options.audience ?? env['TRELLIS_REGISTRY_AUDIENCE'],
    '--audience or TRELLIS_REGISTRY_AUDIENCE',
  );
  const publicUrl = publicUrlOf(options.publicUrl ?? env['TRELLIS_REGISTRY_PUBLIC_URL']);
  assertLimits(options.limits, env);
  const logger = createLogger({ service: 'registry' });
  const revocation = revocationCheck(options, env, logger);
  const takesUnboundTokens = unboundTokens(options, env, logger);
  const signers = await createRecordSigners(
    await readKeyText(needed(env['TRELLIS_SIGNING_KEY'], 'TRELLIS_SIGNING_KEY'), 'TRELLIS_SIGNING_KEY'),
  );
  const given = env['TRELLIS_REGISTRY_TRUST'];
  const trust = given
    ? await TrustedKeys.parse(await readKeyText(given, 'TRELLIS_REGISTRY_TRUST'))
    : await trustIn(signers);
  await migrate({
    connectionString,
    schema: SCHEMA,
    directory: new URL('../../migrations/', import.meta.url),
  });
  const pool = createPool({ connectionString, schema: SCHEMA, queryTimeoutMs: QUERY_TIMEOUT_MS });
  const server = createRegistryServer({
    pool,
    ...signers,
    trust,
    authenticate: createTokenAuthentication({ issuer, audience, revocation }),
    logger,
    publicUrl,
    takesUnboundTokens,
    composers: options.composers,
    limitsFile: options.limits,
    ...(options.operations && { operations: options.operations }),
  });
  try {
    const url = await server.listen({ port: portOf(options.port), host: options.host ?? '127.0.0.1' });
    return { url, close: () => server.close().then(() => pool.end()) };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

function needed(value: string | undefined, name: string): string {
  if (value !== undefined && value !== '') return value;
  throw new RegistryError('INVALID_NAME', `A registry needs ${name}.`);
}

/** What every change would fail by is said where the server starts. */
function assertLimits(file: string | undefined, env: Environment): void {
  try {
    readOfflineSettings(file, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new RegistryError('INVALID_NAME', `--limits takes a gateway.yaml. ${error.message}`);
  }
}

/** A server that can't ask says so where it starts, and not once a revoked token has published. */
function revocationCheck(
  { revocationSeconds, issuer }: ServeOptions,
  env: Environment,
  logger: Logger,
): RevocationCheck | undefined {
  const text = revocationSeconds ?? env['TRELLIS_REGISTRY_REVOCATION_S'] ?? String(REVOCATION_S.default);
  if (text === 'off') {
    logger.warn({ issuer }, 'revoked tokens are accepted until they expire');
    return undefined;
  }
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (seconds < REVOCATION_S.min || seconds > REVOCATION_S.max)
    throw new RegistryError(
      'INVALID_NAME',
      `--revocation-seconds takes 1 to 900, or off, not ${JSON.stringify(text)}.`,
    );
  const why = ', the client as which it asks the issuer about revoked tokens, or --revocation-seconds off';
  return {
    clientId: needed(env['TRELLIS_REGISTRY_CLIENT_ID'], `TRELLIS_REGISTRY_CLIENT_ID${why}`),
    clientSecret: needed(env['TRELLIS_REGISTRY_CLIENT_SECRET'], `TRELLIS_REGISTRY_CLIENT_SECRET${why}`),
    maxAgeMs: seconds * 1_000,
    outages: createOutageLog({
      logger,
      failure: 'introspection unavailable',
      success: 'introspection available again',
    }),
  };
}

/** Who takes tokens that anybody can copy says so. */
function unboundTokens({ boundTokens, issuer }: ServeOptions, env: Environment, logger: Logger): boolean {
  const text = boundTokens ?? env['TRELLIS_REGISTRY_BOUND_TOKENS'] ?? 'required';
  if (text === 'off') logger.warn({ issuer }, 'tokens that are bound to no key are accepted for changes');
  else if (text !== 'required')
    throw new RegistryError(
      'INVALID_NAME',
      `--bound-tokens takes required, or off, not ${JSON.stringify(text)}.`,
    );
  return text === 'off';
}

/** Proofs name paths behind it, as a proxy shows them to clients. */
function publicUrlOf(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && url.username === '')
    return `${url.origin}${url.pathname.replace(/\/$/, '')}`;
  throw new RegistryError(
    'INVALID_NAME',
    `--public-url takes an http or https URL, not ${JSON.stringify(text)}.`,
  );
}

function portOf(text = '4050'): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new RegistryError('INVALID_NAME', `--port takes a port, not ${JSON.stringify(text)}.`);
}
