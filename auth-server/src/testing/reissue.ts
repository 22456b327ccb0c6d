import { createPool } from '@trellis/postgres';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { readAuthServerConfig } from '../app/config.ts';
import { deriveKeys } from '../secrets/secrets.ts';
import { createSigningKeyStore } from '../keys/signing-key-store.ts';
import { createKeyEncryption } from '../keys/key-encryption.ts';
import { createKeyring } from '../keys/keyring.ts';
import type { TestAuthServer } from './test-auth-server.ts';

/** Signs a token's claims again with the server's own key, some of them changed: what time alone would make of it. */
export async function reissue(
  { environment }: TestAuthServer,
  token: string,
  changes: Record<string, unknown>,
): Promise<string> {
  const config = readAuthServerConfig(environment);
  const pool = createPool({ connectionString: config.DATABASE_URL, schema: 'auth' });
  try {
    const encryption = createKeyEncryption(deriveKeys(config.KEY_ENCRYPTION_SECRET, 'signing-keys'));
    const keyring = await createKeyring(createSigningKeyStore(pool), encryption);
    const typ = String(decodeProtectedHeader(token).typ);
    return keyring.active('ES256').sign({ ...decodeJwt(token), ...changes }, typ);
  } finally {
    await pool.end();
  }
}
