/** What a change means for clients: `breaking` fails the check, `unknown` can't be decided from what is recorded. */
export type Verdict = 'breaking' | 'dangerous' | 'safe' | 'unknown';

/**
 * How recorded operations decide a verdict:
 *
 * - `always`: they do not change it.
 * - `used`: it holds if an operation uses what changed; else the change is safe.
 * - `invalid`: it holds if an operation that uses what changed is not valid any more; else the change is safe.
 * - `rights`: it holds if a caller who was let in before is not any more; else the change is safe.
 * - `cost`: costs are computed before and after: breaking over a limit, dangerous over 80 % of it or doubled, else safe.
 * - `window`: the proof of the window decides; what it proves is safe, with an order of deployment of its own.
 */
export type UsageRule = 'always' | 'used' | 'invalid' | 'rights' | 'cost' | 'window';

/** A kind of change of a graph. */
export interface ChangeKind {
  /** What has changed, in a sentence; docs/changes.md shows it. */
  readonly meaning: string;
  /** What to do about it. */
  readonly action: string;
  /** Without recorded operations. */
  readonly verdict: 'breaking' | 'dangerous' | 'safe';
  readonly withUsage: UsageRule;
  /** Whether it shows more to someone than before. Usage does not excuse it, and an approval has to name it. @default false */
  readonly exposure?: true;
}
