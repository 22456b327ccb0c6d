import { isProtected } from '../protected-address.ts';
import { RegistryError } from '../registry-error.ts';
import { createProofKey, type ProofKey } from './proof-key.ts';

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
 * What a request says of who sends it, asked for before each: its headers, `authorization` and perhaps `dpop`.
 *
 * @param rejected what it said before, and was rejected for: another token is asked for, where that is possible
 * @returns undefined where it can say nothing but what was rejected
 */
export type Authorize = (
  method: string,
  url: string,
  rejected?: RequestAuthorization,
) => Promise<RequestAuthorization | undefined>;

/** Headers of a request. */
export type RequestAuthorization = Readonly<Record<string, string>>;

/**
 * Authorization of requests to a registry over HTTP: `TRELLIS_REGISTRY_TOKEN`; or by client credentials (RFC 6749 §4.4) with
 * `TRELLIS_REGISTRY_ISSUER`, `TRELLIS_REGISTRY_CLIENT_ID`, `TRELLIS_REGISTRY_CLIENT_SECRET` and `TRELLIS_REGISTRY_AUDIENCE`. A token
 * that is asked for is bound to a key of this process, where the issuer binds tokens (RFC 9449 §5): who reads it in a log can't use it.
 *
 * @returns undefined where the environment has neither
 * @throws RegistryError INVALID_NAME for an issuer that the secret would go to in clear
 */
export function registryAuthorization(variables: RegistryTokenVariables): Authorize | undefined {
  const {
    TRELLIS_REGISTRY_TOKEN: given,
    TRELLIS_REGISTRY_ISSUER: issuer,
    TRELLIS_REGISTRY_CLIENT_ID: id,
    TRELLIS_REGISTRY_CLIENT_SECRET: secret,
    TRELLIS_REGISTRY_AUDIENCE: audience,
  } = variables;
  if (given)
    return (_method, _url, rejected) =>
      Promise.resolve(rejected ? undefined : { authorization: `Bearer ${given}` });
  if (!issuer || !id || !secret) return undefined;
  if (!isProtected(issuer))
    throw new RegistryError(
      'INVALID_NAME',
      'TRELLIS_REGISTRY_ISSUER is an https:// address: the secret of a client goes by http:// on this host alone.',
    );
  let key: Promise<ProofKey> | undefined;
  let known: IssuedToken | undefined;
  let asking: Promise<IssuedToken> | undefined;
  return async (method, url, rejected) => {
    const proofKey = await (key ??= createProofKey());
    // Another request may have asked for a new one by now.
    if (known && rejected?.['authorization']?.endsWith(` ${known.token}`)) known = undefined;
    if (!known || known.untilMs <= Date.now() + SLACK_MS) {
      // Records are read side by side: one asks for all.
      asking ??= askForToken({ issuer: issuer.replace(/\/$/, ''), id, secret, audience }, proofKey).finally(
        () => {
          asking = undefined;
        },
      );
      known = await asking;
    }
    const { token, isBound } = known;
    if (!isBound) return { authorization: `Bearer ${token}` };
    return { authorization: `DPoP ${token}`, dpop: await proofKey.prove({ method, url, token }) };
  };
}

interface IssuedToken {
  readonly token: string;
  readonly untilMs: number;
  /** Whether each request needs a proof. */
  readonly isBound: boolean;
}

interface Credentials {
  readonly issuer: string;
  readonly id: string;
  readonly secret: string;
  readonly audience: string | undefined;
}

async function askForToken(credentials: Credentials, key: ProofKey): Promise<IssuedToken> {
  const { issuer, id } = credentials;
  const metadata = await successOf(await ask(`${issuer}/.well-known/openid-configuration`));
  const { token_endpoint: address } = metadata;
  if (typeof address !== 'string' || new URL(address).origin !== new URL(issuer).origin)
    throw new RegistryError('NO_RIGHT', `${issuer} names no token endpoint of its own.`);
  const response = await successOf(await exchange(address, credentials, key));
  const { access_token: token, token_type: type, expires_in: lifetimeS = DEFAULT_LIFETIME_S } = response;
  if (typeof token !== 'string')
    throw new RegistryError('NO_RIGHT', `${issuer} issued no token for the client ${id}.`);
  const isBound = typeof type === 'string' && type.toLowerCase() === 'dpop';
  return { token, isBound, untilMs: Date.now() + Number(lifetimeS) * 1000 };
}

/** Once again with its nonce, where the issuer asks for one. RFC 9449 §8 */
async function exchange(
  address: string,
  { id, secret, audience }: Credentials,
  key: ProofKey,
): Promise<Response> {
  const basic = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64');
  const send = async (nonce?: string): Promise<Response> =>
    ask(address, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        ...(audience && { resource: audience }),
      }),
      headers: {
        authorization: `Basic ${basic}`,
        dpop: await key.prove({ method: 'POST', url: address, nonce }),
      },
    });
  const first = await send();
  const nonce = first.headers.get('dpop-nonce');
  if (first.status !== 400 || nonce === null) return first;
  await first.body?.cancel();
  return send(nonce);
}

async function ask(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, {
    ...init,
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw new RegistryError('STORE_UNAVAILABLE', `${url} did not respond.`, { cause: error });
  });
}

async function successOf(response: Response): Promise<Readonly<Record<string, unknown>>> {
  const body: unknown = await response.json().catch(() => ({}));
  const members = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  if (response.ok) return members;
  const { error_description: reason } = members;
  const said = typeof reason === 'string' ? reason.slice(0, 500) : response.status;
  throw new RegistryError('NO_RIGHT', `${response.url} issued no token: ${said}.`);
}
