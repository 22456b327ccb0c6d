import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { TrialFigures } from '../variants/canary-trial.ts';
import { SUFFICIENT_EVIDENCE } from '../variants/compare-callers.ts';

const BUCKETS_S = [
  0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1,
  1.5, 2, 3, 5, 10,
];
/** Callers that are counted on a side: beyond, the number stands still. */
const MOST_CALLERS = 50_000;
/** Stops that are shown. */
const MOST_STOPS = 10;

/** Registers the figures of the canary that is compared now. Another one begins with new figures. */
export function createCanaryMetrics(registry: Registry): TrialFigures {
  const registers = [registry];
  const share = new Gauge({
    name: 'trellis_gateway_canary_share',
    help: 'Of the callers on the two sides of the canary that is compared now, its part, 0 to 1. Without one there is none.',
    labelNames: ['variant'],
    aggregator: 'max',
    registers,
  });
  const operations = new Counter({
    name: 'trellis_gateway_canary_operations_total',
    help: 'Operations of callers on the two sides of the canary, by outcome: ok, failed, or rejected for a reason that is the client’s.',
    labelNames: ['side', 'outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'trellis_gateway_canary_duration_seconds',
    help: 'Duration of what was executed on the two sides of the canary.',
    labelNames: ['side'],
    buckets: BUCKETS_S,
    registers,
  });
  const callers = new Gauge({
    name: 'trellis_gateway_canary_callers',
    help: 'Callers on the two sides of the canary since it began: the most that one process has seen.',
    labelNames: ['side'],
    aggregator: 'max',
    registers,
  });
  const evidence = new Gauge({
    name: 'trellis_gateway_canary_evidence',
    help: `What speaks against the canary, by kind: failed or slow. It stops at ${SUFFICIENT_EVIDENCE}, and of failures 10 and 15 s after it began at less.`,
    labelNames: ['kind'],
    aggregator: 'max',
    registers,
  });
  const stops = new Gauge({
    name: 'trellis_gateway_canary_stopped_seconds',
    help: 'Unix time at which a canary was stopped, and why: what its callers met, how strong the evidence was, and of how many callers on each side.',
    labelNames: ['variant', 'release', 'reason', 'evidence', 'main', 'canary'],
    aggregator: 'max',
    registers,
  });
  const stopped: (readonly [labels: Record<string, string>, atS: number])[] = [];
  let seen = { main: new Set<number>(), canary: new Set<number>() };
  const compared = [share, operations, durations, callers, evidence];
  return {
    began(variant, part) {
      for (const metric of compared) metric.reset();
      seen = { main: new Set(), canary: new Set() };
      share.set({ variant }, part);
    },
    ended: () => share.reset(),
    responded(side, { outcome, executedMs, caller }) {
      operations.inc({ side, outcome });
      if (executedMs !== undefined) durations.observe({ side }, executedMs / 1_000);
      const known = seen[side];
      if (known.has(caller) || known.size >= MOST_CALLERS) return;
      known.add(caller);
      callers.set({ side }, known.size);
    },
    judged: (kind, found) => evidence.set({ kind }, found),
    stopped({ name, release }, verdict) {
      const labels = {
        variant: name,
        release: release.digest,
        reason: verdict?.kind ?? 'another process',
        evidence: verdict ? verdict.evidence.toFixed(1) : '',
        main: String(verdict?.main ?? ''),
        canary: String(verdict?.canary ?? ''),
      };
      stopped.push([labels, Date.now() / 1_000]);
      stopped.splice(0, stopped.length - MOST_STOPS);
      stops.reset();
      for (const [one, atS] of stopped) stops.set(one, atS);
    },
  };
}
