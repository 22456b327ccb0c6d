import { createHash, randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { AUDIENCE, SECRET, type RegistryStage } from './registry-stage.ts';

/** A token, and the proofs that it needs. */
export interface BoundToken {
  readonly token: string;
  readonly prove: (method: string, url: string, token?: string) => Promise<string>;
}

/** A token that is bound to a key, with what proves possession of it. */
export async function boundToken(stage: RegistryStage, client = 'bound'): Promise<BoundToken> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  const prove = (htm: string, htu: string, token?: string): Promise<string> =>
    new SignJWT({
      htm,
      htu,
      jti: randomUUID(),
      ...(token && { ath: createHash('sha256').update(token).digest('base64url') }),
    })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
      .setIssuedAt()
      .sign(privateKey);
  const url = `${stage.environment['TRELLIS_REGISTRY_ISSUER']}/token`;
  const ask = async (nonce?: string) => {
    const dpop = nonce === undefined ? await prove('POST', url) : await withNonce(nonce);
    return fetch(url, {
      method: 'POST',
      headers: {
        dpop,
        authorization: `Basic ${Buffer.from(`${client}:${encodeURIComponent(SECRET)}`).toString('base64')}`,
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource: AUDIENCE }),
    });
  };
  const withNonce = (nonce: string): Promise<string> =>
    new SignJWT({ htm: 'POST', htu: url, jti: randomUUID(), nonce })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
      .setIssuedAt()
      .sign(privateKey);
  const first = await ask();
  const nonce = first.headers.get('dpop-nonce');
  const response = first.ok || nonce === null ? first : await ask(nonce);
  const { access_token: token } = (await response.json()) as { access_token: string };
  return { token, prove };
}
