import type { Report, Sources } from '@trellis/composition';
import type { GuardViolation } from './guard-release.ts';

/** A release that was not published. Nothing was changed. */
export class PublicationRejected extends Error {
  override readonly name = 'PublicationRejected';
  readonly outcome: 'failed' | 'undecided';
  readonly report: Report;
  readonly sources: Sources;
  /** Subgraphs that do not serve it as they run. */
  readonly violations: readonly GuardViolation[];

  constructor(
    outcome: 'failed' | 'undecided',
    report: Report,
    sources: Sources,
    violations: readonly GuardViolation[] = [],
  ) {
    super('The release was not published.');
    this.outcome = outcome;
    this.report = report;
    this.sources = sources;
    this.violations = violations;
  }
}
