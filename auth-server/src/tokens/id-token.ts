import { hash } from 'node:crypto';
import { PASSWORD } from '../accounts/authentication-context.ts';
import { nowS, type HasClock } from '../clock.ts';
import type { SigningAlgorithm } from '../keys/signing-key-store.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { KeyFeatures } from '../keys/key-features.ts';

/** What id_tokens are made with. */
export type IdTokenFeatures = HasClock & HasSettings & Pick<KeyFeatures, 'keyring'>;

/** What an id_token is to say. */
export interface IdTokenRequest {
  readonly clientId: string;
  readonly algorithm: SigningAlgorithm;
  readonly subject: string;
  /** Milliseconds since 1970. */
  readonly authenticatedAt: number;
  readonly sessionId: string;
  /** The access token beside it, for `at_hash`. */
  readonly accessToken: string;
  /** As sent to the authorization endpoint; never on refresh. OpenID Connect Core §12.2 */
  readonly nonce?: string | undefined;
}

/** A statement to the client of who signed in, when and how. OpenID Connect Core §2 */
export function issueIdToken(
  features: HasClock & HasSettings & Pick<KeyFeatures, 'keyring'>,
  request: IdTokenRequest,
): string {
  const { settings, keyring } = features;
  const iat = nowS(features);
  const claims = {
    iss: settings.issuer,
    sub: request.subject,
    aud: request.clientId,
    iat,
    exp: iat + settings.idTokenTtlS,
    auth_time: Math.floor(request.authenticatedAt / 1000),
    acr: PASSWORD.acr,
    amr: PASSWORD.amr,
    sid: request.sessionId,
    at_hash: accessTokenHash(request.accessToken),
    nonce: request.nonce,
  };
  return keyring.active(request.algorithm).sign(claims, 'JWT');
}

/** The left half of the SHA-256 of the token, as both algorithms use SHA-256. OpenID Connect Core §3.1.3.6 */
function accessTokenHash(accessToken: string): string {
  const left = hash('sha256', accessToken, 'binary').slice(0, 16); // a character a byte
  return Buffer.from(left, 'binary').toString('base64url');
}
