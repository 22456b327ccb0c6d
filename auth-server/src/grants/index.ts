import type { GrantHandler } from './grant-handler.ts';
import { authorizationCodeGrant, type AuthorizationCodeFeatures } from './authorization-code.ts';
import { clientCredentialsGrant, type ClientCredentialsFeatures } from './client-credentials.ts';
import { deviceCodeGrant, type DeviceCodeFeatures } from './device-code.ts';
import { jwtBearerGrant, type JwtBearerFeatures } from './jwt-bearer.ts';
import { refreshTokenGrant, type RefreshTokenFeatures } from './refresh-token.ts';
import { tokenExchangeGrant, type TokenExchangeFeatures } from './token-exchange.ts';

export type { GrantHandler, TokenRequest, TokenResponse } from './grant-handler.ts';

/** What the grant types work with. */
export type GrantTypeFeatures = AuthorizationCodeFeatures &
  RefreshTokenFeatures &
  ClientCredentialsFeatures &
  DeviceCodeFeatures &
  TokenExchangeFeatures &
  JwtBearerFeatures;

/** Every grant type of the token endpoint, by its `grant_type`. */
export const grantHandlers: ReadonlyMap<string, GrantHandler<GrantTypeFeatures>> = new Map(
  [
    authorizationCodeGrant,
    refreshTokenGrant,
    clientCredentialsGrant,
    deviceCodeGrant,
    tokenExchangeGrant,
    jwtBearerGrant,
  ].map((handler) => [handler.grantType, handler]),
);
