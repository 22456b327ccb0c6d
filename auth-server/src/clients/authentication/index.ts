import { OAuthError, tooManyRequests } from '../../errors.ts';
import type { Parameters } from '../../parameters.ts';
import { NO_HASH } from '../client-registry.ts';
import type { Client } from '../client-store.ts';
import { readCredentials, rejectedBasic, type PresentedCredentials } from './client-credentials.ts';
import { usesCertificate } from '../client-metadata.ts';
import { certificateProblem } from './verify-certificate.ts';
import { assertionProblem, claimedClientId } from './verify-assertion.ts';
import { paths } from '../../paths.ts';
import type { HasClock } from '../../clock.ts';
import type { HasSettings } from '../../settings/settings.ts';
import type { AuditFeatures } from '../../audit/audit-features.ts';
import type { AttemptFeatures } from '../../attempts/attempt-features.ts';
import type { ClientFeatures } from '../client-features.ts';
import type { ClientAuthenticationFeatures } from './secret-attempt-limiter.ts';

/** What clients are authenticated with. */
export type AuthenticateClientFeatures = HasClock &
  HasSettings &
  Pick<AuditFeatures, 'audit'> &
  Pick<AttemptFeatures, 'assertions'> &
  Pick<ClientFeatures, 'clients' | 'clientKeys'> &
  ClientAuthenticationFeatures;

/** What a request says of its sender beside its parameters. */
export interface ClientSender {
  /** The header. */
  readonly authorization: string | undefined;
  readonly address: string;
  /** The certificate that the client has shown, in DER. */
  readonly certificate: Buffer | undefined;
}

/**
 * Finds out which client sent a request and makes it prove it, by exactly the method that it is registered with. A public
 * client only says who it is.
 *
 * @throws OAuthError invalid_client, invalid_request for two methods at once, too_many_requests after wrong secrets. RFC 6749
 * §2.3, §5.2
 */
export async function authenticateClient(
  { authorization, address, certificate }: ClientSender,
  parameters: Parameters,
  features: AuthenticateClientFeatures,
): Promise<Client> {
  const presented = readCredentials(authorization, parameters);
  const clientId = claimedId(presented);
  const client = features.clients.findRemembered(clientId) ?? (await features.clients.find(clientId));
  const fail = (detail: string): void => recordFailure(features, client, address, detail);
  const waitS = waitForSecret(presented, client, address, features);
  if (waitS > 0) {
    fail('throttled');
    throw tooManyRequests('Too many wrong client secrets were sent from this network.', waitS);
  }
  const problem =
    presented.method === 'none'
      ? await identifiedClientProblem(client, certificate, features)
      : await credentialsProblem(presented, client, address, features);
  if (client && problem === undefined) return client;
  fail(problem ?? 'unknown client');
  throw rejected(presented, problem ?? 'unknown client');
}

/** An unknown id may be anything, a secret too: it is not stored. */
function recordFailure(
  { audit }: AuthenticateClientFeatures,
  client: Client | undefined,
  address: string,
  detail: string,
): void {
  const clientId = client?.metadata.client_id;
  audit.record({ event: 'client_authentication_failed', clientId, address, detail });
}

/** Ids that no one has are counted together. */
const UNKNOWN_CLIENT = 'unknown';

function waitForSecret(
  presented: PresentedCredentials,
  client: Client | undefined,
  address: string,
  { secretAttemptLimiter }: AuthenticateClientFeatures,
): number {
  if (!('secret' in presented)) return 0;
  return secretAttemptLimiter.waitS(client?.metadata.client_id ?? UNKNOWN_CLIENT, address);
}

function claimedId(presented: PresentedCredentials): string {
  if (presented.method !== 'private_key_jwt') return presented.clientId;
  const claimed = claimedClientId(presented.assertion) ?? '';
  const differs = presented.clientId !== undefined && presented.clientId !== claimed;
  return differs ? '' : claimed;
}

/** A client that says who it is, and no more, is public, or its connection says the rest. RFC 8705 §2 */
async function identifiedClientProblem(
  client: Client | undefined,
  certificate: Buffer | undefined,
  features: AuthenticateClientFeatures,
): Promise<string | undefined> {
  const method = client?.metadata.token_endpoint_auth_method;
  if (method === 'none') return undefined;
  if (!client || method === undefined || !usesCertificate(method)) return 'credentials are missing';
  return certificateProblem(certificate, client, features);
}

async function credentialsProblem(
  presented: Exclude<PresentedCredentials, { readonly method: 'none' }>,
  client: Client | undefined,
  address: string,
  features: AuthenticateClientFeatures,
): Promise<string | undefined> {
  const registered = client?.metadata.token_endpoint_auth_method;
  switch (presented.method) {
    case 'client_secret_basic':
    case 'client_secret_post': {
      // Not a turn of the event loop between looking at the guesses so far, comparing and counting: those sent together count.
      const matches = secretMatches(presented.clientId, presented.secret, client, features);
      const isGuess = !matches || registered !== presented.method;
      if (isGuess)
        features.secretAttemptLimiter.failed(client?.metadata.client_id ?? UNKNOWN_CLIENT, address);
      if (registered !== presented.method) return `registered for ${registered ?? 'nothing'}`;
      if (!matches) return 'wrong secret';
      if (client) await features.clients.renewHash(client, presented.secret);
      return undefined;
    }
    case 'private_key_jwt':
      if (!client || registered !== 'private_key_jwt') return `registered for ${registered ?? 'nothing'}`;
      return assertionProblem(presented.assertion, client, {
        ...features,
        issuer: features.settings.issuer,
        tokenEndpoint: `${features.settings.issuer}${paths.token}`,
      });
    default:
      return presented satisfies never;
  }
}

/** Hashes and compares for unknown clients too, so that all take the same time. */
function secretMatches(
  clientId: string,
  secret: string,
  client: Client | undefined,
  { clients, clock }: AuthenticateClientFeatures,
): boolean {
  const previous = client?.previousSecret;
  const isCurrent = clients.isSecret(clientId, secret, client?.secretHash ?? NO_HASH);
  const isPrevious = clients.isSecret(clientId, secret, previous?.hash ?? NO_HASH);
  return isCurrent || (isPrevious && clock() < (previous?.expiresAt ?? 0));
}

function rejected({ method }: PresentedCredentials, detail: string): OAuthError {
  if (method === 'client_secret_basic') return rejectedBasic(detail);
  return new OAuthError('invalid_client', 'Client authentication failed.', { detail });
}
