import {
  formatAuthRows,
  formatBenchmark,
  formatComparisons,
  formatHitRatios,
  formatSubscribers,
  type AuthRow,
  type BenchmarkResult,
  type ComparedWork,
  type HitRatios,
  type SubscriberCost,
} from '@trellis/bench';
import { describeMachine } from './performance-page.ts';

/** What a run of `npm run bench` may measure, by its name in the document of `--json`. */
export interface BenchParts {
  /** Requests to gateways, beside their peers. */
  readonly requests: BenchmarkResult;
  readonly subscribers: readonly SubscriberCost[];
  /** Requests to the auth-server, beside its peer. */
  readonly tokens: readonly AuthRow[];
  /** Of two checkouts. */
  readonly compared: readonly ComparedWork[];
  readonly caches: readonly HitRatios[];
}

const tables: { readonly [Part in keyof BenchParts]: (part: BenchParts[Part]) => string } = {
  requests: formatBenchmark,
  subscribers: formatSubscribers,
  tokens: formatAuthRows,
  compared: formatComparisons,
  caches: formatHitRatios,
};

/** What becomes of what was measured. */
export interface BenchReport {
  /** Takes a part, as soon as it was measured. */
  readonly add: <Part extends keyof BenchParts>(part: Part, measured: BenchParts[Part]) => void;
  /** Ends the report. */
  readonly end: () => void;
}

/**
 * Writes each part as a table in Markdown, or all of them in the end as one JSON document: a run takes long, and a reader wants each
 * table as soon as it is complete.
 */
export function createBenchReport(isJson: boolean, write: (text: string) => void): BenchReport {
  const document: Partial<Record<keyof BenchParts, unknown>> = {};
  return {
    add: (part, measured) => {
      if (isJson) document[part] = measured;
      else write(`${tables[part](measured)}\n`);
    },
    end: () => {
      if (isJson) write(`${JSON.stringify({ machine: describeMachine(), ...document })}\n`);
    },
  };
}
