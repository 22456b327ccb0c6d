import type { AuditFeatures } from '../audit/audit-features.ts';
import { allowedScopes } from '../clients/registration-today.ts';
import { TOKEN_EXCHANGE_GRANT } from '../clients/grant-types.ts';
import type { Client } from '../clients/client-store.ts';
import { missingParameter, OAuthError } from '../errors.ts';
import type { Parameters } from '../parameters.ts';
import { issueAccessToken, type AccessTokenFeatures } from '../tokens/access-token.ts';
import type { ActorClaim } from '../tokens/actor-claim.ts';
import type { TokenUser } from '../tokens/token-user.ts';
import { chooseActor } from './exchange-actor.ts';
import {
  unacceptable,
  verifySubject,
  type ExchangeSubject,
  type ExchangeSubjectFeatures,
} from './exchange-subject.ts';
import type { GrantHandler, TokenRequest, TokenResponse } from './grant-handler.ts';
import { beginIssuerGrant, type IssuerGrantFeatures } from './issuer-grant.ts';
import { narrowScopes } from './requested-scopes.ts';
import { readRequestedType, readToken } from './token-types.ts';
import { accessBinding } from './key-binding.ts';
import { tokenTypeOf } from '../tokens/token-binding.ts';

/** What this grant type works with. */
export type TokenExchangeFeatures = Pick<AuditFeatures, 'audit'> &
  ExchangeSubjectFeatures &
  IssuerGrantFeatures &
  AccessTokenFeatures;

/** Scopes that have no meaning for an API that is called in a user's name. */
const LEFT_BEHIND: ReadonlySet<string> = new Set(['openid', 'offline_access']);

/**
 * Exchanges an access token for one that allows as much or less, for the same API or another one. The new token ends with what ends
 * the old one, at its end at the latest, and there is no refresh token.
 *
 * @see RFC 8693 §2
 */
export const tokenExchangeGrant: GrantHandler<TokenExchangeFeatures> = {
  grantType: TOKEN_EXCHANGE_GRANT,
  handle: async (request, features) => {
    try {
      return await exchange(request, features);
    } catch (error) {
      recordRejection(error, request, features);
      throw error;
    }
  },
};

async function exchange(request: TokenRequest, features: TokenExchangeFeatures): Promise<TokenResponse> {
  const { clientId, clientToday, parameters, presented, receivedAt, address } = request;
  const text = readToken(parameters, 'subject_token');
  if (text === undefined) throw missingParameter('subject_token');
  const actorText = readToken(parameters, 'actor_token');
  const issuedTokenType = readRequestedType(parameters);
  const client = await clientToday();
  const subject = await verifySubject({ text, client, presented }, features);
  const act = await chooseActor({ text: actorText, subject, client, presented }, features);
  const audience = chooseAudience(parameters, subject, client, features);
  const scopes = chooseScopes(parameters, subject, client, features);
  const expiresAt = Math.min(receivedAt + features.settings.accessTokenTtlS, subject.token.expiresAt);
  if (expiresAt <= receivedAt) throw unacceptable('subject_token', 'expires at this moment');
  const terms = { client, audience, scopes, expiresAt, receivedAt };
  const { grantId, user } = await grantOf(subject, terms, features);
  recordExchange({ grantId, user, clientId, audience, scopes, act, address }, features);
  const binding = accessBinding(client, presented);
  const accessToken = issueAccessToken(features, {
    clientId,
    grantId,
    audience,
    scopes,
    issuedAt: receivedAt,
    expiresAt,
    binding,
    user,
    act,
    exchangedFrom: clientsBefore(subject, clientId),
  });
  return {
    access_token: accessToken,
    issued_token_type: issuedTokenType,
    token_type: tokenTypeOf(binding),
    expires_in: expiresAt - receivedAt,
    scope: scopes.join(' '),
  };
}

/**
 * The one API that the token is for: that of the subject token, or another one that the client is registered to call in the names of
 * users. RFC 8693 §2.1 lets a request name it as `audience` or as `resource`.
 *
 * @throws OAuthError invalid_target. RFC 8693 §2.2.2
 */
function chooseAudience(
  parameters: Parameters,
  subject: ExchangeSubject,
  { metadata }: Client,
  { settings }: TokenExchangeFeatures,
): string {
  const { audiences, adminAudience } = settings;
  const asked = new Set([...parameters.getAll('audience'), ...parameters.getAll('resource')]);
  const given = subject.kind === 'own' ? subject.token.audience : undefined;
  const [target = given ?? audiences[0] ?? ''] = asked;
  const isRegistered = metadata.token_exchange_audiences?.includes(target) === true;
  const isAllowed = given === target || isRegistered || (given === undefined && asked.size === 0);
  if (asked.size <= 1 && isAllowed && target !== adminAudience && audiences.includes(target)) return target;
  throw new OAuthError('invalid_target', 'The client may not get a token for this audience or resource.');
}

/** Never more than the subject token gives, nor more than the client is registered for. */
function chooseScopes(
  parameters: Parameters,
  subject: ExchangeSubject,
  client: Client,
  { settings }: TokenExchangeFeatures,
): readonly string[] {
  const given = subject.kind === 'own' ? subject.token.scopes : subject.known.issuer.scopes;
  const allowed = allowedScopes(given, client, settings).filter((scope) => !LEFT_BEHIND.has(scope));
  const scopes = narrowScopes(allowed, parameters.get('scope'));
  if (scopes.length > 0) return scopes;
  throw new OAuthError('invalid_scope', 'The client and the subject_token have no scope in common.');
}

interface Terms {
  readonly client: Client;
  readonly audience: string;
  readonly scopes: readonly string[];
  readonly expiresAt: number;
  readonly receivedAt: number;
}

/** The grant that the new token ends with: that of the subject token, or one of its own. */
async function grantOf(
  subject: ExchangeSubject,
  terms: Terms,
  features: TokenExchangeFeatures,
): Promise<{ readonly grantId: string; readonly user: TokenUser | undefined }> {
  if (subject.kind === 'own') return { grantId: subject.token.grantId, user: subject.user };
  const { known, token } = subject;
  const begun = await beginIssuerGrant({ ...terms, issuer: known.issuer, token }, features);
  if (!begun) throw unacceptable('subject_token', 'unknown subject');
  return begun;
}

/** Whose tokens led to the new one: what ends those of one of them ends it as well. */
function clientsBefore(subject: ExchangeSubject, clientId: string): readonly string[] | undefined {
  if (subject.kind === 'issued') return undefined;
  const { clientId: before, exchangedFrom } = subject.token;
  const others = new Set([...exchangedFrom, before]);
  others.delete(clientId);
  return others.size === 0 ? undefined : [...others];
}

interface Exchange extends Pick<Terms, 'audience' | 'scopes'> {
  readonly grantId: string;
  readonly user: TokenUser | undefined;
  readonly clientId: string;
  readonly act: ActorClaim | undefined;
  readonly address: string;
}

function recordExchange({ user, act, ...exchanged }: Exchange, { audit }: TokenExchangeFeatures): void {
  audit.record({
    event: 'token_exchanged',
    ...exchanged,
    subject: user?.id ?? exchanged.clientId,
    actor: act?.sub,
  });
}

function recordRejection(
  error: unknown,
  { clientId, address }: TokenRequest,
  { audit }: TokenExchangeFeatures,
): void {
  if (!(error instanceof OAuthError) || error.detail === undefined || error.status >= 500) return;
  audit.record({ event: 'token_exchange_rejected', clientId, address, detail: error.detail });
}
