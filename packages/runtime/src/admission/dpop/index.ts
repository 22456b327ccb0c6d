export { isBoundedKey } from './bounded-key.ts';
export {
  PROOF_ALGORITHMS,
  PROOF_WINDOW_S,
  verifyProofSignature,
  type SignedProof,
} from './proof-signature.ts';
