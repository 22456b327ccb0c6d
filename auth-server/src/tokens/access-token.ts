import { randomUUID } from 'node:crypto';
import type { HasSettings } from '../settings/settings.ts';
import type { KeyFeatures } from '../keys/key-features.ts';
import type { ActorClaim } from './actor-claim.ts';
import { confirmationOf, type TokenBinding } from './token-binding.ts';
import { claimsOfUser, type TokenUser } from './token-user.ts';

/** What access tokens are made with. */
export type AccessTokenFeatures = HasSettings & Pick<KeyFeatures, 'keyring'>;

/** What an access token is to say. */
export interface AccessTokenRequest {
  readonly clientId: string;
  readonly grantId: string;
  readonly audience: string;
  readonly scopes: readonly string[];
  /** Seconds since 1970. */
  readonly issuedAt: number;
  /** Seconds since 1970. Default: after the lifetime of access tokens. */
  readonly expiresAt?: number;
  /** What must come with the token. */
  readonly binding: TokenBinding;
  /** Who signed in; absent when a client acts for itself. */
  readonly user?: TokenUser | undefined;
  /** Who acts in the user's name. RFC 8693 §4.1 */
  readonly act?: ActorClaim | undefined;
  /** Clients whose tokens were exchanged for this one: what ends those of one of them ends it. */
  readonly exchangedFrom?: readonly string[] | undefined;
}

/** An access token as a JWT that any resource server can verify. RFC 9068 §2 */
export function issueAccessToken(
  features: HasSettings & Pick<KeyFeatures, 'keyring'>,
  request: AccessTokenRequest,
): string {
  const { settings, keyring } = features;
  const iat = request.issuedAt;
  const claims = {
    iss: settings.issuer,
    sub: request.user?.id ?? request.clientId,
    aud: request.audience,
    client_id: request.clientId,
    iat,
    exp: request.expiresAt ?? iat + settings.accessTokenTtlS,
    jti: randomUUID(),
    scope: request.scopes.join(' '),
    gid: request.grantId,
    cnf: confirmationOf(request.binding),
    act: request.act,
    exchanged_from: request.exchangedFrom,
    ...(request.user && claimsOfUser(request.user, request.scopes)),
  };
  return keyring.active('ES256').sign(claims, 'at+jwt');
}
