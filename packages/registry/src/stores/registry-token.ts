import { RegistryError } from '../registry-error.ts';

/** Variables that say how tokens are got. */
export interface RegistryTokenVariables {
  readonly TRELLIS_REGISTRY_TOKEN?: string | undefined;
  readonly TRELLIS_REGISTRY_ISSUER?: string | undefined;
  readonly TRELLIS_REGISTRY_CLIENT_ID?: string | undefined;
  readonly TRELLIS_REGISTRY_CLIENT_SECRET?: string | undefined;
  readonly TRELLIS_REGISTRY_AUDIENCE?: string | undefined;
}

/** A token is asked for again so long before it expires. */
const SLACK_MS = 30_000;
const TIMEOUT_MS = 10_000;
const DEFAULT_LIFETIME_S = 60;

/**
 * Access tokens for a registry over HTTP: `TRELLIS_REGISTRY_TOKEN`; or by client credentials (RFC 6749 §4.4) with
 * `TRELLIS_REGISTRY_ISSUER`, `TRELLIS_REGISTRY_CLIENT_ID`, `TRELLIS_REGISTRY_CLIENT_SECRET` and `TRELLIS_REGISTRY_AUDIENCE`.
 *
 * @returns undefined where the environment has neither
 */
export function registryTokens(variables: RegistryTokenVariables): (() => Promise<string>) | undefined {
  const {
    TRELLIS_REGISTRY_TOKEN: given,
    TRELLIS_REGISTRY_ISSUER: issuer,
    TRELLIS_REGISTRY_CLIENT_ID: id,
    TRELLIS_REGISTRY_CLIENT_SECRET: secret,
    TRELLIS_REGISTRY_AUDIENCE: audience,
  } = variables;
  if (given) return () => Promise.resolve(given);
  if (!issuer || !id || !secret) return undefined;
  let known: { readonly token: string; readonly untilMs: number } | undefined;
  let asking: ReturnType<typeof askForToken> | undefined;
  return async () => {
    if (known && known.untilMs > Date.now() + SLACK_MS) return known.token;
    // Records are read side by side: one asks for all.
    asking ??= askForToken({ issuer: issuer.replace(/\/$/, ''), id, secret, audience }).finally(() => {
      asking = undefined;
    });
    known = await asking;
    return known.token;
  };
}

interface Credentials {
  readonly issuer: string;
  readonly id: string;
  readonly secret: string;
  readonly audience: string | undefined;
}

async function askForToken({
  issuer,
  id,
  secret,
  audience,
}: Credentials): Promise<{ token: string; untilMs: number }> {
  const { token_endpoint: address } = (await ask(`${issuer}/.well-known/openid-configuration`)) as Record<
    string,
    unknown
  >;
  if (typeof address !== 'string' || new URL(address).origin !== new URL(issuer).origin)
    throw new RegistryError('NO_RIGHT', `${issuer} names no token endpoint of its own.`);
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(audience && { resource: audience }),
  });
  const basic = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64');
  const response = (await ask(address, {
    method: 'POST',
    body: form,
    headers: { authorization: `Basic ${basic}` },
  })) as Record<string, unknown>;
  const { access_token: token, expires_in: lifetimeS = DEFAULT_LIFETIME_S } = response;
  if (typeof token !== 'string')
    throw new RegistryError('NO_RIGHT', `${issuer} issued no token for the client ${id}.`);
  return { token, untilMs: Date.now() + Number(lifetimeS) * 1000 };
}

async function ask(url: string, init: RequestInit = {}): Promise<unknown> {
  const response = await fetch(url, {
    ...init,
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw new RegistryError('STORE_UNAVAILABLE', `${url} did not respond.`, { cause: error });
  });
  if (response.ok) return response.json();
  const { error_description: reason } = (await response.json().catch(() => ({}))) as {
    error_description?: unknown;
  };
  throw new RegistryError(
    'NO_RIGHT',
    `${url} issued no token: ${typeof reason === 'string' ? reason : response.status}.`,
  );
}
