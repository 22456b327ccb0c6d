import type { FastifyReply, FastifyRequest } from 'fastify';
import { OAuthError } from '../errors.ts';
import type { Client } from '../clients/client-store.ts';
import { checkProofProfile } from '../dpop/proof-profile.ts';
import { PROOF_TTL_S, verifyProof } from '../dpop/verify-proof.ts';
import { takeRoomOf, type TakeRoomFeatures } from './take-room.ts';
import { nowS, type HasClock } from '../clock.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { AttemptFeatures } from '../attempts/attempt-features.ts';
import type { DpopFeatures } from '../dpop/nonces.ts';

/** What proofs are verified with. */
export type ReadProofFeatures = HasClock &
  HasSettings &
  Pick<AttemptFeatures, 'assertions'> &
  DpopFeatures &
  TakeRoomFeatures;

/** Bytes of the record that a proof was used. */
const PROOF_BYTES = 56;

/** Sends a fresh nonce with whatever is answered, where proofs need one, before the last one has run out. RFC 9449 §8.2 */
export function offerNonce(
  request: FastifyRequest,
  reply: FastifyReply,
  { dpopNonces }: ReadProofFeatures,
): void {
  if (dpopNonces.isRequired && request.headers['dpop'] !== undefined)
    reply.header('dpop-nonce', dpopNonces.fresh());
}

/**
 * Verifies the DPoP proof of a request, if it has one, and what the client's profile asks of proofs. A client that uses nonces gets
 * a fresh one with the response.
 *
 * @param path of the endpoint, below the issuer
 * @param client which sent it, or whose token it has: no proof is read for no one
 * @param accessToken the token that the proof goes with, at a resource
 * @returns the thumbprint of the client's key
 * @throws OAuthError invalid_dpop_proof, use_dpop_nonce
 * @see RFC 9449 §4.3, §8.2
 */
export async function readProof(
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  client: Client,
  features: ReadProofFeatures,
  accessToken?: string,
): Promise<string | undefined> {
  const proof = request.headers['dpop'];
  if (proof === undefined) return undefined;
  const { dpopNonces, settings } = features;
  if (typeof proof !== 'string')
    throw new OAuthError('invalid_dpop_proof', 'There is more than one DPoP proof.');
  // At a resource the token has proved something already.
  if (accessToken === undefined) takeRoomOf(request.ip, PROOF_BYTES, PROOF_TTL_S, features);
  const bases = [settings.issuer, settings.certificateUrl].filter((base) => base !== undefined);
  const expected = { method: request.method, urls: bases.map((base) => base + path), accessToken };
  const { thumbprint, hasNonce } = await verifyProof(proof, expected, features);
  checkProofProfile(proof, client, nowS(features));
  if (hasNonce) reply.header('dpop-nonce', dpopNonces.fresh());
  return thumbprint;
}
