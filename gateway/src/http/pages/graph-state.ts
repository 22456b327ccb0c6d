import { SUFFICIENT_EVIDENCE, type Side } from '../../variants/compare-callers.ts';
import type { Bound, Sample, Samples } from './metric-samples.ts';

/** What a gateway serves of its graph, as its metrics have it. Members are added, and none is changed. */
export interface GraphState {
  readonly format: 'trellis-gateway-state/1';
  /** Absent before one is served. Times are seconds since 1970. */
  readonly supergraph?: { readonly hash: string; readonly servedSince: number } | undefined;
  /** Reloads that were invalid. */
  readonly rejectedReloads: number;
  /** Absent without a registry, and before one of its records is served. */
  readonly record?: ServedRecord | undefined;
  /** When all that the registry says was last served here. Absent without a registry. */
  readonly registryCheckedAt?: number | undefined;
  /** What a registry said and was not served, by reason. */
  readonly rejectedHeads: readonly { readonly reason: string; readonly times: number }[];
  /** Served beside the main version. */
  readonly variants: readonly VariantState[];
  /** The canary that is compared now. */
  readonly canary?: CanaryState | undefined;
  /** Canaries that were stopped, the last one first. */
  readonly stopped: readonly StoppedCanary[];
  /** The history of the registry, the newest record first. */
  readonly records: readonly HistoryRecord[];
}

/** The record that is served. */
export interface ServedRecord {
  readonly environment: string;
  readonly sequence: number;
  readonly release: string;
  /** Absent: the whole graph is served. */
  readonly contract?: string | undefined;
}

/** A variant that is served. */
export interface VariantState {
  readonly name: string;
  readonly rule: string;
  /** Of callers; 0 for a variant by another rule. */
  readonly percent: number;
  readonly release: string;
}

/** A canary beside the main version. */
export interface CanaryState {
  readonly variant: string;
  /** 0 to 1. */
  readonly share: number;
  readonly main: SideFigures;
  readonly canary: SideFigures;
  /** What speaks against it: callers with a failure, and with a slow response. */
  readonly evidence: { readonly failed: number; readonly slow: number };
  /** As much evidence stops it; of failures, less does soon after it began. */
  readonly stopsAt: number;
}

/** What the callers of a side have met. */
export interface SideFigures {
  readonly callers: number;
  readonly operations: number;
  readonly failed: number;
  /** Half of what was executed took at most so long, and 99 of 100. */
  readonly half?: Bound;
  readonly nearlyAll?: Bound;
}

/** A canary that was stopped. */
export interface StoppedCanary {
  readonly at: number;
  readonly variant: string;
  readonly release: string;
  /** `failed`, `slow`, or `another process`. */
  readonly reason: string;
  /** Empty where another process has decided, as are the callers with it on each side. */
  readonly evidence: string;
  readonly main: string;
  readonly canary: string;
}

/** A record of the registry. */
export interface HistoryRecord {
  readonly sequence: number;
  readonly recorded: string;
  readonly action: string;
  readonly actor: string;
  readonly release: string;
  readonly variants: string;
  /** Seconds since 1970; 0: it was not served here. */
  readonly servedSince: number;
  readonly isServed: boolean;
}

/** Reads it from the metrics, which have the sums of all processes. */
export function readGraphState(samples: Samples): GraphState {
  const [supergraph] = samples.of('trellis_gateway_supergraph_served_since_seconds');
  const [record] = samples.of('trellis_gateway_supergraph_info');
  return {
    format: 'trellis-gateway-state/1',
    supergraph: supergraph && {
      hash: supergraph.labels['supergraph'] ?? '',
      servedSince: supergraph.value,
    },
    rejectedReloads: samples.sum('trellis_gateway_supergraph_changes_total', { outcome: 'rejected' }),
    record: record && servedRecord(record),
    registryCheckedAt: samples.of('trellis_gateway_registry_checked_seconds')[0]?.value,
    rejectedHeads: samples.of('trellis_gateway_registry_rejections_total').map(({ labels, value }) => ({
      reason: labels['reason'] ?? '',
      times: value,
    })),
    variants: samples.of('trellis_gateway_variant_info').map(servedVariant),
    canary: canaryState(samples),
    stopped: samples
      .of('trellis_gateway_canary_stopped_seconds')
      .map(stoppedCanary)
      .toSorted((a, b) => b.at - a.at),
    records: samples
      .of('trellis_gateway_registry_record_served_seconds')
      .map((sample) => historyRecord(sample, record))
      .toSorted((a, b) => b.sequence - a.sequence),
  };
}

function servedRecord({ labels }: Sample): ServedRecord {
  const { environment = '', sequence = '', release = '', contract = '' } = labels;
  return { environment, sequence: Number(sequence), release, ...(contract !== '' && { contract }) };
}

function servedVariant({ labels, value }: Sample): VariantState {
  const { variant: name = '', rule = '', release = '' } = labels;
  return { name, rule, percent: value, release };
}

function stoppedCanary({ labels, value }: Sample): StoppedCanary {
  const { variant = '', release = '', reason = '', evidence = '', main = '', canary = '' } = labels;
  return { at: value, variant, release, reason, evidence, main, canary };
}

function historyRecord({ labels, value }: Sample, served: Sample | undefined): HistoryRecord {
  const { sequence = '', recorded = '', action = '', actor = '', release = '', variants = '' } = labels;
  const isServed = sequence === served?.labels['sequence'];
  return {
    sequence: Number(sequence),
    recorded,
    action,
    actor,
    release,
    variants,
    servedSince: value,
    isServed,
  };
}

const OPERATIONS = 'trellis_gateway_canary_operations_total';

function canaryState(samples: Samples): CanaryState | undefined {
  const [share] = samples.of('trellis_gateway_canary_share');
  if (!share) return undefined;
  const evidence = (kind: string): number => samples.sum('trellis_gateway_canary_evidence', { kind });
  return {
    variant: share.labels['variant'] ?? '',
    share: share.value,
    main: sideFigures(samples, 'main'),
    canary: sideFigures(samples, 'canary'),
    evidence: { failed: evidence('failed'), slow: evidence('slow') },
    stopsAt: SUFFICIENT_EVIDENCE,
  };
}

function sideFigures(samples: Samples, side: Side): SideFigures {
  const { half, nearlyAll } = samples.quantiles('trellis_gateway_canary_duration_seconds', { side });
  return {
    callers: samples.sum('trellis_gateway_canary_callers', { side }),
    operations: samples.sum(OPERATIONS, { side }),
    failed: samples.sum(OPERATIONS, { side, outcome: 'failed' }),
    half,
    nearlyAll,
  };
}
