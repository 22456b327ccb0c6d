import { randomUUID } from 'node:crypto';
import { PASSWORD } from '../accounts/authentication-context.ts';
import type { AccountToday } from '../accounts/accounts.ts';
import { signJwt } from '../keys/jws.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { KeyFeatures } from '../keys/key-features.ts';

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
  /** Thumbprint of the key that must come with the token. RFC 9449 §6 */
  readonly keyThumbprint: string | undefined;
  /** Who signed in, and when; absent when a client acts for itself. */
  readonly user?: AuthenticatedUser;
}

interface AuthenticatedUser {
  readonly account: AccountToday;
  readonly authenticatedAt: number;
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
    sub: request.user?.account.id ?? request.clientId,
    aud: request.audience,
    client_id: request.clientId,
    iat,
    exp: iat + settings.accessTokenTtlS,
    jti: randomUUID(),
    scope: request.scopes.join(' '),
    gid: request.grantId,
    cnf: request.keyThumbprint === undefined ? undefined : { jkt: request.keyThumbprint },
    ...(request.user && userClaims(request.user, request.scopes)),
  };
  return signJwt(claims, 'at+jwt', keyring.active('ES256'));
}

function userClaims(
  { account, authenticatedAt }: AuthenticatedUser,
  scopes: readonly string[],
): Record<string, unknown> {
  return {
    auth_time: Math.floor(authenticatedAt / 1000),
    acr: PASSWORD.acr,
    roles: [account.role],
    name: scopes.includes('profile') ? account.name : undefined,
    email: scopes.includes('email') ? account.email : undefined,
  };
}
