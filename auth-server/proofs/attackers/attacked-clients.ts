import { exportJWK, generateKeyPair } from 'jose';
import { DEVICE_CODE_GRANT } from '../../src/clients/client-metadata.ts';
import { JWT_BEARER_GRANT, TOKEN_EXCHANGE_GRANT } from '../../src/clients/grant-types.ts';
import { CALLBACK, CLIENT_SECRET } from '../../src/testing/test-clients.ts';

/** Has no secret, and is the users'. */
export const PUBLIC_CLIENT = 'spa';
/** Has no secret, and signs its requests. */
export const SIGNING_CLIENT = 'signing';
/** Has no secret, and no browser. */
export const DEVICE_CLIENT = 'television';
/** Has a secret. */
export const MACHINE = 'machine';
/** Has a secret, and is called with tokens of others. */
export const SERVICE = 'service';
/** Proves by a key who it is. */
export const SIGNING_SERVICE = 'signing-service';
/** Names the key of those that sign. */
export const KEY_OF_CLIENTS = 'key-of-clients';

/** The clients whose ids everybody knows, as a clients file declares them; no attacker has their secrets and keys. */
export async function attackedClients(): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: KEY_OF_CLIENTS, alg: 'ES256' }] };
  const inBrowsers = {
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'none',
    first_party: true,
  };
  const unattended = { client_secret: CLIENT_SECRET, scope: 'read:data' };
  return [
    { ...inBrowsers, client_id: PUBLIC_CLIENT },
    { ...inBrowsers, client_id: SIGNING_CLIENT, jwks },
    {
      client_id: DEVICE_CLIENT,
      token_endpoint_auth_method: 'none',
      grant_types: [DEVICE_CODE_GRANT, 'refresh_token'],
    },
    { ...unattended, client_id: MACHINE, grant_types: ['client_credentials'] },
    { ...unattended, client_id: SERVICE, grant_types: [TOKEN_EXCHANGE_GRANT, JWT_BEARER_GRANT] },
    {
      client_id: SIGNING_SERVICE,
      token_endpoint_auth_method: 'private_key_jwt',
      jwks,
      grant_types: ['client_credentials'],
      scope: 'read:data',
    },
  ];
}
