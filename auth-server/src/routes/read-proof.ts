import type { FastifyRequest } from 'fastify';
import { OAuthError } from '../errors.ts';
import { PROOF_TTL_S, verifyProof } from '../dpop/verify-proof.ts';
import type { Services } from '../services.ts';
import { takeRoomOf } from './take-room.ts';

/** Bytes of the record that a proof was used. */
const PROOF_BYTES = 56;

/**
 * Verifies the DPoP proof of a request, if it has one.
 *
 * @param path of the endpoint, below the issuer
 * @param accessToken the token that the proof goes with, at a resource
 * @returns the thumbprint of the client's key
 * @throws OAuthError invalid_dpop_proof, use_dpop_nonce
 */
export async function readProof(
  request: FastifyRequest,
  path: string,
  services: Services,
  accessToken?: string,
): Promise<string | undefined> {
  const proof = request.headers['dpop'];
  if (proof === undefined) return undefined;
  if (typeof proof !== 'string')
    throw new OAuthError('invalid_dpop_proof', 'There is more than one DPoP proof.');
  // At a resource the token has proved something already.
  if (accessToken === undefined) takeRoomOf(request.ip, PROOF_BYTES, PROOF_TTL_S, services);
  const expected = { method: request.method, url: `${services.settings.issuer}${path}`, accessToken };
  return verifyProof(proof, expected, services);
}
