import type { Client } from '../clients/client-store.ts';
import type { TokenBinding } from '../tokens/token-binding.ts';

const UNBOUND: TokenBinding = Object.freeze({});

/**
 * What an access token is bound to: the key of a proof, whenever there is one, and the certificate of a client that is registered
 * for that.
 *
 * @see RFC 9449 §5, RFC 8705 §3.4
 */
export function accessBinding({ metadata }: Client, presented: TokenBinding): TokenBinding {
  const { keyThumbprint, certificateThumbprint } = presented;
  return metadata.tls_client_certificate_bound_access_tokens
    ? { keyThumbprint, certificateThumbprint }
    : { keyThumbprint };
}

/**
 * The same of the refresh tokens of a grant: those of a public client, which has nothing else to prove itself by.
 *
 * @see RFC 9449 §5, RFC 8705 §4
 */
export function refreshBinding(client: Client, presented: TokenBinding): TokenBinding {
  return client.metadata.token_endpoint_auth_method === 'none' ? accessBinding(client, presented) : UNBOUND;
}
