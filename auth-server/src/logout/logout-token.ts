import type { ClientMetadata } from '../clients/client-metadata.ts';
import { randomToken } from '../secrets/secrets.ts';
import type { Session } from '../accounts/session-store.ts';
import type { Keyring } from '../keys/keyring.ts';

/** What a logout token is made with. */
export interface LogoutTokenDependencies {
  readonly settings: { readonly issuer: string };
  readonly keyring: Pick<Keyring, 'active'>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Which session has ended. */
export type EndedSessionName = Pick<Session, 'sessionId' | 'subject'>;

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Seconds for which a client may accept it. */
const LIFETIME_S = 120;

/** A statement to one client that a session has ended; without a nonce, so that it is no id_token. Back-Channel Logout §2.4 */
export function issueLogoutToken(
  { settings, keyring, clock }: LogoutTokenDependencies,
  { client_id: aud, id_token_signed_response_alg: algorithm }: ClientMetadata,
  { subject, sessionId }: EndedSessionName,
): string {
  const iat = Math.floor(clock() / 1000);
  const claims = {
    iss: settings.issuer,
    aud,
    iat,
    exp: iat + LIFETIME_S,
    jti: randomToken(16),
    events: { [EVENT]: {} },
    sub: subject,
    sid: sessionId,
  };
  return keyring.active(algorithm).sign(claims, 'logout+jwt');
}
