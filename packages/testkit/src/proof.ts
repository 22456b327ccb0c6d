/** How long a proof takes its time. */
export interface ProofOptions {
  /** `small` ends within seconds and runs in `npm test`; `full` runs in `npm run prove`. */
  readonly size: 'small' | 'full';
  /** What random choices start from; the same seed makes the same choices. */
  readonly seed: number;
}

/** What a proof found. */
export interface ProofOutcome {
  readonly passed: boolean;
  /** What was counted or measured, by name with its unit: `{rounds: 100, p99Ms: 12.5}`. Shown in this order. */
  readonly figures: Readonly<Record<string, number | string>>;
}

/**
 * A long claim about the product, proven by running it. Lives in the `proofs/` folder of what it is about, one a file,
 * exported as `proof`. It may use the testkit's databases and Redis.
 */
export interface Proof {
  /** What `npm run prove -- NAME` takes: words with hyphens, unique among proofs. */
  readonly name: string;
  /** The claim, a sentence. */
  readonly description: string;
  /** Rejects, or answers `passed: false` with figures that show why, when the claim does not hold. */
  run(options: ProofOptions): Promise<ProofOutcome>;
}
