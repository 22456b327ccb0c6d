import { invalidGrant, missingParameter, OAuthError } from '../errors.ts';
import { allowedScopes } from '../clients/registration-today.ts';
import { JWT_BEARER_GRANT } from '../clients/grant-types.ts';
import type { AttemptFeatures } from '../attempts/attempt-features.ts';
import type { AuditFeatures } from '../audit/audit-features.ts';
import type { HasClock } from '../clock.ts';
import type { IssuerFeatures, KnownIssuer } from '../issuers/issuer-registry.ts';
import { claimedIssuer, type IssuedToken } from '../issuers/verify-issued-token.ts';
import { paths } from '../paths.ts';
import { issueAccessToken, type AccessTokenFeatures } from '../tokens/access-token.ts';
import type { GrantHandler, TokenRequest, TokenResponse } from './grant-handler.ts';
import { beginIssuerGrant, type IssuerGrantFeatures } from './issuer-grant.ts';
import { chooseResource, narrowScopes } from './requested-scopes.ts';
import { verifyOfIssuer } from './verify-of-issuer.ts';
import { accessBinding } from './key-binding.ts';
import { tokenTypeOf } from '../tokens/token-binding.ts';

/** What this grant type works with. */
export type JwtBearerFeatures = HasClock &
  Pick<AttemptFeatures, 'assertions'> &
  Pick<AuditFeatures, 'audit'> &
  IssuerFeatures &
  IssuerGrantFeatures &
  AccessTokenFeatures;

/** Seconds by which an assertion may be late: its id is remembered for longer. */
const SKEW_S = 30;

/** Types of assertions, in the header. `authorization-grant+jwt` is that of the revision of RFC 7523. */
const ASSERTION_TYPES = ['jwt', 'authorization-grant+jwt'];

/**
 * A token by the word of a trusted issuer: no refresh token and no id_token, as the client can ask the issuer again. An assertion is
 * used once, and what is rejected does not use it up.
 *
 * @see RFC 7523 §2.1, §3
 */
export const jwtBearerGrant: GrantHandler<JwtBearerFeatures> = {
  grantType: JWT_BEARER_GRANT,
  handle: async (request, features) => {
    try {
      return await grantByAssertion(request, features);
    } catch (error) {
      recordRejection(error, request, features);
      throw error;
    }
  },
};

async function grantByAssertion(
  { clientId, clientToday, parameters, presented, receivedAt, address }: TokenRequest,
  features: JwtBearerFeatures,
): Promise<TokenResponse> {
  const text = parameters.get('assertion');
  if (text === undefined) throw missingParameter('assertion');
  const known = features.issuers.find(claimedIssuer(text) ?? '', 'assertion', clientId);
  if (!known) throw invalidGrant('the issuer is not trusted for this client');
  const token = await verifyAssertion(text, known, features);
  const client = await clientToday();
  const { settings } = features;
  const audience = chooseResource(
    parameters.getAll('resource'),
    settings.audiences.filter((name) => name !== settings.adminAudience),
  );
  const scopes = narrowScopes(allowedScopes(known.issuer.scopes, client, settings), parameters.get('scope'));
  if (scopes.length === 0) throw new OAuthError('invalid_scope', 'The client has no scope of the issuer.');
  await markUsed(known, token, features);
  const expiresAt = receivedAt + settings.accessTokenTtlS;
  const request = { issuer: known.issuer, token, client, scopes, audience, expiresAt, receivedAt };
  const begun = await beginIssuerGrant(request, features);
  if (!begun) throw invalidGrant('unknown subject');
  const { grantId, user } = begun;
  const issuer = known.issuer.issuer;
  features.audit.record({
    event: 'grant_begun',
    grantId,
    subject: user.id,
    clientId,
    scopes,
    address,
    issuer,
  });
  const binding = accessBinding(client, presented);
  const accessToken = issueAccessToken(features, {
    clientId,
    grantId,
    audience,
    scopes,
    issuedAt: receivedAt,
    binding,
    user,
  });
  return {
    access_token: accessToken,
    token_type: tokenTypeOf(binding),
    expires_in: settings.accessTokenTtlS,
    scope: scopes.join(' '),
  };
}

async function verifyAssertion(
  text: string,
  known: KnownIssuer,
  { settings, clock }: JwtBearerFeatures,
): Promise<IssuedToken> {
  const audiences = [settings.issuer, `${settings.issuer}${paths.token}`];
  const outcome = await verifyOfIssuer(text, { ...known, audiences, types: ASSERTION_TYPES, clock });
  if (outcome.kind === 'problem') throw invalidGrant(outcome.problem);
  if (outcome.token.tokenId === undefined) throw invalidGrant('jti is missing');
  return outcome.token;
}

/** @throws OAuthError invalid_grant at the second use */
async function markUsed(
  { issuer }: KnownIssuer,
  { tokenId = '', expiresAt }: IssuedToken,
  { assertions, clock }: JwtBearerFeatures,
): Promise<void> {
  const ttlS = expiresAt - clock() / 1000 + SKEW_S;
  // A client id has no blank, so no client can use up the ids of an issuer.
  if (await assertions.markUsed(`issuer ${issuer.issuer}`, tokenId, ttlS)) return;
  throw invalidGrant('jti was used before');
}

function recordRejection(
  error: unknown,
  { clientId, address }: TokenRequest,
  { audit }: JwtBearerFeatures,
): void {
  if (!(error instanceof OAuthError) || error.code !== 'invalid_grant') return;
  audit.record({ event: 'assertion_rejected', clientId, address, detail: error.detail ?? error.message });
}
