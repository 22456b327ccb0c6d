import { readPreferences } from '@trellis/http1/fields';
import { isKnownScope } from '../clients/scopes.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { honoursSignInAt } from '../accounts/accounts.ts';
import { missingParameter, OAuthError } from '../errors.ts';
import { addEndpoint } from '../http/endpoint.ts';
import { formParameters } from '../http/request-parameters.ts';
import { scopesToday, type ScopesTodayFeatures } from '../grants/grant-today.ts';
import type { Client } from '../clients/client-store.ts';
import { isRevokedToken, type RevokedTokenFeatures } from '../grants/revoked-token.ts';
import { INTROSPECTION_JWT, issueIntrospectionToken } from '../tokens/introspection-token.ts';
import { verifyAccessToken, type VerifiedAccessToken } from '../tokens/verify-own-token.ts';
import { authenticateRequest, type AuthenticateRequestFeatures } from './authenticate-request.ts';
import { paths } from '../paths.ts';
import type { HasClock } from '../clock.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { IssuerFeatures } from '../issuers/issuer-registry.ts';
import type { KeyFeatures } from '../keys/key-features.ts';
import type { AccountFeatures } from '../accounts/account-features.ts';
import type { ClientFeatures } from '../clients/client-features.ts';
import type { TokenFeatures } from '../tokens/token-features.ts';
import type { GrantFeatures } from '../grants/grant-features.ts';
import { confirmationOf, tokenTypeOf } from '../tokens/token-binding.ts';

/** What introspection works with. */
export type IntrospectionFeatures = HasClock &
  HasSettings &
  Pick<KeyFeatures, 'keyring'> &
  Pick<AccountFeatures, 'accounts'> &
  Pick<ClientFeatures, 'clients'> &
  Pick<TokenFeatures, 'refreshTokens'> &
  Pick<GrantFeatures, 'grants'> &
  IssuerFeatures &
  ScopesTodayFeatures &
  RevokedTokenFeatures &
  AuthenticateRequestFeatures;

type Introspection = Readonly<Record<string, unknown>> & { readonly active: boolean };

const INACTIVE: Introspection = { active: false };

/**
 * Introspection, for confidential clients: of any access token, and of the client's own refresh tokens.
 *
 * @see RFC 7662 §2
 */
export function addIntrospectRoute(server: FastifyInstance, features: IntrospectionFeatures): void {
  addEndpoint(server, paths.introspect, {
    POST: async (request, reply) => {
      const parameters = formParameters(request);
      parameters.assertUnrepeated();
      const client = await authenticateRequest(request, parameters, features);
      if (client.metadata.token_endpoint_auth_method === 'none') {
        throw new OAuthError('invalid_client', 'Introspection needs a client that authenticates.');
      }
      const token = parameters.get('token');
      if (token === undefined) throw missingParameter('token');
      const introspection = features.refreshTokens.decode(token)
        ? await introspectRefreshToken(token, client, features)
        : await introspectAccessToken(token, client, features);
      void reply.header('cache-control', 'no-store').header('vary', 'accept');
      if (!wantsJwt(request)) return reply.send(introspection);
      const { client_id: clientId, introspection_signed_response_alg: algorithm = 'RS256' } = client.metadata;
      return reply
        .type(`application/${INTROSPECTION_JWT}`)
        .send(issueIntrospectionToken(features, { clientId, algorithm, introspection }));
    },
  });
}

/** Whether the response is to be signed. RFC 9701 §4 */
function wantsJwt({ headers: { accept = '' } }: FastifyRequest): boolean {
  return readPreferences(accept).some(({ value }) => value === `application/${INTROSPECTION_JWT}`);
}

async function introspectAccessToken(
  text: string,
  client: Client,
  features: IntrospectionFeatures,
): Promise<Introspection> {
  const { settings, keyring, clock } = features;
  const token = await verifyAccessToken(text, { ...settings, keyring, clock });
  if (!token || !isFor(token, client) || (await isRevokedToken(token, features))) return INACTIVE;
  if (!(await hasSubject(token, features))) return INACTIVE;
  const cnf = confirmationOf(token);
  return {
    active: true,
    token_type: tokenTypeOf(token),
    ...(cnf && { cnf }),
    iss: settings.issuer,
    sub: token.subject,
    aud: token.audience,
    client_id: token.clientId,
    scope: token.scopes.filter((scope) => isKnownScope(settings.scopes, scope)).join(' '),
    iat: token.issuedAt,
    exp: token.expiresAt,
    jti: token.tokenId,
    ...(token.authenticatedAt !== undefined && { auth_time: token.authenticatedAt }), // RFC 9470 §6.2
    ...(token.acr !== undefined && { acr: token.acr }),
    ...(token.act && { act: token.act }), // RFC 8693 §7.2
    gid: token.grantId,
  };
}

/** A resource server that says what it serves learns nothing of tokens for others. RFC 9701 §5, RFC 7662 §2.2 */
function isFor({ audience, clientId }: VerifiedAccessToken, { metadata }: Client): boolean {
  const { resource_audiences: served, client_id: asking } = metadata;
  return served === undefined || served.includes(audience) || clientId === asking;
}

async function hasSubject(token: VerifiedAccessToken, features: IntrospectionFeatures): Promise<boolean> {
  if (token.subject === token.clientId) return true;
  if (token.subjectIssuer !== undefined) return features.issuers.hasNamespace(token.subjectIssuer);
  return isHonoured(token.subject, undefined, features);
}

async function introspectRefreshToken(
  text: string,
  client: Client,
  features: IntrospectionFeatures,
): Promise<Introspection> {
  const { grants, refreshTokens, settings } = features;
  const token = refreshTokens.decode(text);
  const state = token && (await grants.findWithGeneration(token.grantId));
  if (!token || !state || state.grant.clientId !== client.metadata.client_id) return INACTIVE;
  const { grant, generation } = state;
  if (token.generation !== generation) return INACTIVE;
  if (!(await isHonoured(grant.subject, grant.authenticatedAt, features))) return INACTIVE;
  const today = await features.clients.findToday(client);
  const scopes = today && (await scopesToday(grant, today, features));
  if (!scopes) return INACTIVE;
  return {
    active: true,
    iss: settings.issuer,
    sub: grant.subject,
    aud: grant.audience,
    client_id: grant.clientId,
    scope: scopes.join(' '),
    iat: grant.createdAt,
    exp: grant.expiresAt,
    gid: token.grantId,
  };
}

async function isHonoured(
  subject: string,
  authenticatedAt: number | undefined,
  { accounts }: IntrospectionFeatures,
): Promise<boolean> {
  const account = await accounts.findById(subject);
  return account !== undefined && honoursSignInAt(account, authenticatedAt ?? Number.POSITIVE_INFINITY);
}
