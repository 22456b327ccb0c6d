import type { KeyFeatures } from '../keys/key-features.ts';
import type { SigningAlgorithm } from '../keys/signing-key-store.ts';
import { nowS, type HasClock } from '../clock.ts';
import type { HasSettings } from '../settings/settings.ts';

/** What signed introspection responses are made with. */
export type IntrospectionTokenFeatures = HasClock & HasSettings & Pick<KeyFeatures, 'keyring'>;

/** What a signed introspection response is to say. */
export interface IntrospectionTokenRequest {
  /** Who asked. */
  readonly clientId: string;
  readonly algorithm: SigningAlgorithm;
  /** The members of the response as it would be without a signature. */
  readonly introspection: Readonly<Record<string, unknown>>;
}

/** The media type of signed introspection responses; as `typ` it is without `application/`. RFC 9701 §4, §5 */
export const INTROSPECTION_JWT = 'token-introspection+jwt';

/**
 * An introspection response as a JWT. What it says of the token stands in one claim: with `sub` and `exp` at its top someone
 * could take it for an access token.
 *
 * @see RFC 9701 §5, §8.1
 */
export function issueIntrospectionToken(
  { settings, keyring, ...features }: IntrospectionTokenFeatures,
  { clientId, algorithm, introspection }: IntrospectionTokenRequest,
): string {
  const claims = {
    iss: settings.issuer,
    aud: clientId,
    iat: nowS(features),
    token_introspection: introspection,
  };
  return keyring.active(algorithm).sign(claims, INTROSPECTION_JWT);
}
