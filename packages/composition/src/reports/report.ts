import type { OrderStep } from '@trellis/release-verdict';
import type { Verdict } from '../changes/change-kind.ts';
import type { Diagnostic } from '../diagnostic.ts';

/** Versions of the JSON form; what only adds members leaves it as it is. */
export const REPORT_FORMAT = 'trellis-report/1';

/** A diagnostic with its weight. */
export interface ReportedDiagnostic extends Diagnostic {
  readonly severity: 'error' | 'warning' | 'hint';
}

/** An operation for which a change matters. */
export interface ReportedOperation {
  readonly id: string;
  readonly name?: string | undefined;
  readonly requests: number;
  /** `name version`, the busiest first. */
  readonly clients: readonly string[];
  readonly lastUsed?: string | undefined;
}

/** A change with its verdict. */
export interface ReportedChange extends Diagnostic {
  readonly verdict: Verdict;
  readonly coordinate: string;
  readonly action: string;
  readonly exposure: boolean;
  readonly contract?: string | undefined;
  readonly operations: readonly ReportedOperation[];
  /** Share of all recorded requests, 0 to 1. Absent: nothing was recorded. */
  readonly share?: number | undefined;
  readonly approval?:
    { readonly reason: string; readonly owner: string; readonly expires: string } | undefined;
}

/** How the plan of an operation differs. */
export interface ReportedPlan {
  readonly operation: string;
  readonly requests: readonly [before: number, after: number];
  readonly depth: readonly [before: number, after: number];
  readonly cost: readonly [before: number, after: number];
}

/** What was proved of the time between deploying and publishing. */
export interface ReportedWindow {
  readonly verdict: 'any-order' | 'ordered' | 'not-in-one-step';
  /** What to do, in this order, in words. */
  readonly steps: readonly string[];
  /** The same for programs. Absent in reports of older versions. */
  readonly order?: readonly OrderStep[] | undefined;
  /** Recorded operations that were planned, and probes of what no operation uses. */
  readonly operations: number;
  readonly probes: number;
  readonly fetches: number;
  /** Whether each subgraph's own schema was there, on both sides. */
  readonly ownSchemas: boolean;
}

/** All that a command found. Every form of output is made of it. */
export interface Report {
  readonly command: 'compose' | 'check' | 'lint';
  readonly diagnostics: readonly ReportedDiagnostic[];
  readonly changes: readonly ReportedChange[];
  readonly window?: ReportedWindow | undefined;
  readonly plans: readonly ReportedPlan[];
  /** Root fields that callers without a token may ask for. */
  readonly openRootFields: readonly string[];
  /** How many operations were recorded; absent: none were given. */
  readonly operations?: number | undefined;
}

/** How many changes there are of each verdict, approved ones apart. */
export interface ReportCounts extends Readonly<Record<Verdict, number>> {
  readonly approved: number;
  readonly errors: number;
}

/** Counts what a report holds. */
export function countReport({ changes, diagnostics }: Report): ReportCounts {
  const open = changes.filter(({ approval }) => !approval);
  const count = (verdict: Verdict): number => open.filter((change) => change.verdict === verdict).length;
  return {
    breaking: count('breaking'),
    dangerous: count('dangerous'),
    safe: count('safe'),
    unknown: count('unknown'),
    approved: changes.length - open.length,
    errors: diagnostics.filter(({ severity }) => severity === 'error').length,
  };
}

/** What came of it: it fails on errors and breaking changes; what can't be decided is neither. */
export function outcomeOf(report: Report): 'passed' | 'failed' | 'undecided' {
  const { errors, breaking, unknown } = countReport(report);
  if (errors + breaking > 0) return 'failed';
  return unknown > 0 ? 'undecided' : 'passed';
}
