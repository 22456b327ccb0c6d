import { PROOF_WINDOW_S } from '@trellis/runtime/dpop';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { OAuthError } from '../errors.ts';
import type { Client } from '../clients/client-store.ts';
import { allowedAlgorithms, isFapi } from '../clients/security-profile.ts';

/**
 * Checks what a client's profile asks of a proof that was verified: its algorithm, and that it is not of the future, whatever nonce
 * it has.
 *
 * @param nowS seconds since 1970
 * @throws OAuthError invalid_dpop_proof. FAPI 2.0 §5.3.2.1, §5.4.1
 */
export function checkProofProfile(proof: string, { metadata }: Client, nowS: number): void {
  if (!isFapi(metadata)) return;
  const { alg = '' } = decodeProtectedHeader(proof);
  if (allowedAlgorithms([alg], metadata).length === 0) {
    throw new OAuthError('invalid_dpop_proof', `The client may not sign by ${alg}.`);
  }
  const { iat = 0 } = decodeJwt(proof);
  if (iat > nowS + PROOF_WINDOW_S) {
    throw new OAuthError('invalid_dpop_proof', 'The iat of the DPoP proof is in the future.');
  }
}
