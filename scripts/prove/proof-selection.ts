import type { ProofOptions } from '@trellis/testkit';

/** Which proofs run, and how. */
export interface ProofSelection extends ProofOptions {
  /** Empty for all. */
  readonly names: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A selection as environment variables, which reach the processes that tests run in. */
export function proofEnvironment({ size, seed, names }: ProofSelection): Record<string, string> {
  return { PROOF_SIZE: size, PROOF_SEED: String(seed), PROOF_NAMES: names.join(' ') };
}

/** The reverse of {@link proofEnvironment}. Without it: all proofs, small, from seed 1. */
export function readProofSelection(environment: Environment): ProofSelection {
  return {
    size: environment['PROOF_SIZE'] === 'full' ? 'full' : 'small',
    seed: Number(environment['PROOF_SEED'] ?? 1),
    names: (environment['PROOF_NAMES'] ?? '').split(' ').filter((name) => name !== ''),
  };
}
