import { basename } from 'node:path';
import { expect, it } from 'vitest';

/** How long a proof takes its time. */
export interface ProofOptions {
  /** `small` ends within seconds, `full` takes its time. */
  readonly size: 'small' | 'full';
  /** What random choices start from; the same seed makes the same choices. */
  readonly seed: number;
  /** No proof begins after this, in ms since 1970, but for those that are essential. @default all begin */
  readonly until?: number | undefined;
}

/** What a proof found. */
export interface ProofOutcome {
  readonly passed: boolean;
  /** What was counted or measured, by name with its unit: `{rounds: 100, p99Ms: 12.5}`. Shown in this order. With `skipped`, the reason: it proves nothing. */
  readonly figures: Readonly<Record<string, number | string>>;
}

/** A long claim about the product, proven by running it. It may use the testkit's databases and Redis. */
export interface Proof {
  /** What `npm run prove -- NAME` takes: the name of the file without its ending, unique among proofs. */
  readonly name: string;
  /** The claim, a sentence. */
  readonly description: string;
  /** Whether it runs whatever the time. @default false */
  readonly isEssential?: boolean;
  /** Rejects, or resolves to `passed: false` with figures that show why, when the claim does not hold. */
  run(options: ProofOptions): Promise<ProofOutcome>;
}

declare module 'vitest' {
  interface TaskMeta {
    /** What the proof of this test found; read by the reporter of `npm run prove`. */
    proof?: { readonly description: string; readonly figures: ProofOutcome['figures'] };
  }
}

/** A small proof is quick; in full it has the time that it needs, within reason. */
const timeoutMs = { small: 600_000, full: 3_600_000 };

/**
 * Defines the proof of a file in a folder `proofs/`: one test of vitest's project `proofs`. PROOF_SIZE, PROOF_SEED and PROOF_UNTIL of
 * the environment choose how it runs. @default small, from seed 1, whenever
 */
export function proof({ name, description, isEssential = false, run }: Proof): void {
  const options = readProofOptions(process.env);
  it(name, { timeout: timeoutMs[options.size] }, async ({ task, skip }) => {
    expect(basename(task.file.filepath, '.ts'), 'a proof is named after its file').toBe(name);
    if (!isEssential && Date.now() > (options.until ?? Infinity)) skip('time is up');
    const { passed, figures } = await run(options);
    task.meta.proof = { description, figures };
    if (figures['skipped'] !== undefined) skip(String(figures['skipped']));
    expect({ passed, figures }, description).toMatchObject({ passed: true });
  });
}

/** How proofs run, as environment variables, which reach the processes that tests run in. */
export function proofEnvironment({ size, seed, until }: ProofOptions): Record<string, string> {
  return { PROOF_SIZE: size, PROOF_SEED: String(seed), ...(until && { PROOF_UNTIL: String(until) }) };
}

/** The reverse of {@link proofEnvironment}. Without it: small, from seed 1, whenever. */
export function readProofOptions(environment: Readonly<Record<string, string | undefined>>): ProofOptions {
  const until = environment['PROOF_UNTIL'];
  return {
    size: environment['PROOF_SIZE'] === 'full' ? 'full' : 'small',
    seed: Number(environment['PROOF_SEED'] ?? 1),
    until: until === undefined ? undefined : Number(until),
  };
}
