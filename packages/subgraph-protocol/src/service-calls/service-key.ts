import { exportJWK, generateKeyPair, type JWK } from 'jose';

/** Signature algorithm of service tokens. */
export const SERVICE_TOKEN_ALGORITHM = 'ES256';

/** Makes the private key of a service. Its `kid` is the service's name, so that a key speaks for one service alone. */
export async function generateServiceKey(service: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair(SERVICE_TOKEN_ALGORITHM, { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: service, alg: SERVICE_TOKEN_ALGORITHM, use: 'sig' };
}

/** What everybody may know of a service's private key. */
export function publicServiceKey({ kty, crv, x, y, kid, alg, use }: JWK): JWK {
  return JSON.parse(JSON.stringify({ kty, crv, x, y, kid, alg, use })) as JWK; // leaves out what is undefined
}
