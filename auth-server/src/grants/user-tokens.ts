import type { AccountToday } from '../accounts/accounts.ts';
import type { Client } from '../clients/client-store.ts';
import type { Grant } from './grant-record.ts';
import { issueAccessToken, type AccessTokenFeatures } from '../tokens/access-token.ts';
import { issueIdToken, type IdTokenFeatures } from '../tokens/id-token.ts';
import { tokenTypeOf, type TokenBinding } from '../tokens/token-binding.ts';
import { signedInUser } from '../tokens/token-user.ts';
import type { TokenResponse } from './grant-handler.ts';
import { accessBinding } from './key-binding.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { TokenFeatures } from '../tokens/token-features.ts';

/** What the tokens of a user are made with. */
export type UserTokensFeatures = HasSettings &
  Pick<TokenFeatures, 'refreshTokens'> &
  AccessTokenFeatures &
  IdTokenFeatures;

/** What the tokens of a signed-in user are made from. */
export interface UserTokensRequest {
  readonly client: Client;
  readonly account: AccountToday;
  readonly grantId: string;
  readonly grant: Grant;
  /** Scopes of this access token: the grant's, or fewer. */
  readonly scopes: readonly string[];
  /** Generation of the refresh token; undefined when the client gets none. */
  readonly generation: number | undefined;
  readonly nonce?: string | undefined;
  /** When the request came, seconds since 1970: what the token says was read afterwards. */
  readonly receivedAt: number;
  /** The key, and the certificate, that the client has proven to hold. */
  readonly presented: TokenBinding;
}

/** The response with an access token, and a refresh token and an id_token where they are due. */
export function issueUserTokens(features: UserTokensFeatures, request: UserTokensRequest): TokenResponse {
  const { client, account, grantId, grant, scopes, generation, nonce, receivedAt } = request;
  const clientId = client.metadata.client_id;
  const binding = accessBinding(client, request.presented);
  const accessToken = issueAccessToken(features, {
    clientId,
    grantId,
    audience: grant.audience,
    scopes,
    issuedAt: receivedAt,
    binding,
    user: signedInUser(account, grant.authenticatedAt),
  });
  const idToken = (): string =>
    issueIdToken(features, {
      clientId,
      algorithm: client.metadata.id_token_signed_response_alg,
      subject: account.id,
      authenticatedAt: grant.authenticatedAt,
      sessionId: grant.sessionId,
      accessToken,
      nonce,
    });
  const endsInS = Math.max(0, grant.expiresAt - receivedAt);
  return {
    access_token: accessToken,
    token_type: tokenTypeOf(binding),
    expires_in: features.settings.accessTokenTtlS,
    refresh_token:
      generation === undefined ? undefined : features.refreshTokens.encode({ grantId, generation }),
    refresh_token_expires_in:
      generation === undefined ? undefined : Math.min(features.settings.refreshIdleTtlS, endsInS),
    id_token: scopes.includes('openid') ? idToken() : undefined,
    scope: scopes.join(' '),
  };
}
