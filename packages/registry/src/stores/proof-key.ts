import { createHash, randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** What a proof is for. */
export interface ProofPurpose {
  readonly method: string;
  /** Query and fragment are left out. */
  readonly url: string;
  /** The access token that comes with it. */
  readonly token?: string | undefined;
  /** As the server has asked for. */
  readonly nonce?: string | undefined;
}

/** A key of this process, which its access tokens are bound to. It is never written anywhere. */
export interface ProofKey {
  /** @returns the header `DPoP` of one request. RFC 9449 §4.2 */
  prove(purpose: ProofPurpose): Promise<string>;
}

const ALGORITHM = 'ES256';

/** Makes a key. */
export async function createProofKey(): Promise<ProofKey> {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM);
  const jwk = await exportJWK(publicKey);
  return {
    prove({ method, url, token, nonce }) {
      const { origin, pathname } = new URL(url);
      const claims = {
        htm: method,
        htu: `${origin}${pathname}`,
        jti: randomUUID(),
        ...(token !== undefined && { ath: createHash('sha256').update(token).digest('base64url') }),
        ...(nonce !== undefined && { nonce }),
      };
      return new SignJWT(claims)
        .setProtectedHeader({ alg: ALGORITHM, typ: 'dpop+jwt', jwk })
        .setIssuedAt()
        .sign(privateKey);
    },
  };
}
