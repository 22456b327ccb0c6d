import type { Parameters } from '../parameters.ts';
import type { Client } from '../clients/client-store.ts';
import type { TokenBinding } from '../tokens/token-binding.ts';

/** A request to the token endpoint whose client is known. */
export interface TokenRequest {
  /** Of the client that has authenticated. */
  readonly clientId: string;
  /**
   * The client as it is registered at this moment: nothing may be issued, or used up, before it was asked for. It is read
   * together with whatever else is read then.
   *
   * @throws OAuthError invalid_client when it was removed, unauthorized_client, invalid_dpop_proof
   */
  readonly clientToday: () => Promise<Client>;
  readonly parameters: Parameters;
  /** The key, and the certificate, that the client has proven to hold. */
  readonly presented: TokenBinding;
  /**
   * When the request came, seconds since 1970: before anything was read that its tokens say. So a token that says what has
   * changed meanwhile is older than the change, and is revoked with the others of its time.
   */
  readonly receivedAt: number;
  /** Where it came from. */
  readonly address: string;
}

/** A successful response of the token endpoint. RFC 6749 §5.1, OpenID Connect Core §3.1.3.3 */
export interface TokenResponse {
  readonly access_token: string;
  /** Of a token that was exchanged. RFC 8693 §2.2.1 */
  readonly issued_token_type?: string | undefined;
  readonly token_type: 'Bearer' | 'DPoP';
  readonly expires_in: number;
  readonly refresh_token?: string | undefined;
  /** Seconds after which the refresh token is of no use, if it is not used before. It may end earlier, with its session. */
  readonly refresh_token_expires_in?: number | undefined;
  readonly id_token?: string | undefined;
  readonly scope: string;
}

/** One grant type, and what it works with. */
export interface GrantHandler<Features> {
  /** The value of the parameter `grant_type`. */
  readonly grantType: string;
  /** @throws OAuthError */
  readonly handle: (request: TokenRequest, features: Features) => Promise<TokenResponse>;
}
