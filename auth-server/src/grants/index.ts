import type { GrantHandler } from './grant-handler.ts';
import { authorizationCodeGrant } from './authorization-code.ts';
import { clientCredentialsGrant } from './client-credentials.ts';
import { deviceCodeGrant } from './device-code.ts';
import { refreshTokenGrant } from './refresh-token.ts';

export type { GrantHandler, TokenRequest, TokenResponse } from './grant-handler.ts';

/** Every grant type of the token endpoint, by its `grant_type`. */
export const grantHandlers: ReadonlyMap<string, GrantHandler> = new Map(
  [authorizationCodeGrant, refreshTokenGrant, clientCredentialsGrant, deviceCodeGrant].map((handler) => [
    handler.grantType,
    handler,
  ]),
);
