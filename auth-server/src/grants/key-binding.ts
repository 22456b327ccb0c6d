import type { Client } from '../clients/client-store.ts';

/**
 * The key that refresh tokens of a grant are bound to: that of a public client, which has nothing else to prove itself by.
 *
 * @see RFC 9449 §5
 */
export function boundThumbprint({ metadata }: Client, keyThumbprint: string | undefined): string | undefined {
  return metadata.token_endpoint_auth_method === 'none' ? keyThumbprint : undefined;
}
