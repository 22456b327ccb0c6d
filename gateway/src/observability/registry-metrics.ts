import type { Logger } from '@trellis/runtime';
import { MAX_VARIANTS, RegistryError, type RegistryRecord } from '@trellis/registry';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { RegistryObserver } from '../registry/registry-observer.ts';
import { generationsOf, type ServedGenerations } from '../registry/served-generations.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import type { TrialFigures } from '../variants/canary-trial.ts';
import { createCanaryMetrics } from './canary-metrics.ts';
import type { GraphMetrics } from './graph-metrics.ts';

/** Counts what a registry says, and what comes of it. */
export interface RegistryMetrics {
  /** Another log is followed from now on: its history begins. */
  begin(): void;
  /** The history of what is followed: a record was verified, in the order of the log. */
  verified(record: RegistryRecord): void;
  serving(served: ServedGenerations): void;
  checked(): void;
  /** @param reason one of few */
  rejected(reason: string): void;
  aborted(variant: string): void;
  /** Figures of the canary that is compared now. */
  readonly canaries: TrialFigures;
}

/** Records of the history. */
const MOST_RECORDS = 20;

/** Registers the series of a followed registry. Their labels come from signed records. */
export function createRegistryMetrics(registry: Registry): RegistryMetrics {
  const registers = [registry];
  const info = new Gauge({
    name: 'trellis_gateway_supergraph_info',
    help: 'The record of a registry that is served, and the contract of it or an empty text: 1. Without a registry there is none.',
    labelNames: ['environment', 'sequence', 'release', 'contract'],
    aggregator: 'max',
    registers,
  });
  const variants = new Gauge({
    name: 'trellis_gateway_variant_info',
    help: 'Variants that are served beside the main version: the percent of callers, or 0 for those by another rule.',
    labelNames: ['variant', 'rule', 'release'],
    aggregator: 'max',
    registers,
  });
  const history = createHistory(registry);
  const checkedAt = new Gauge({
    name: 'trellis_gateway_registry_checked_seconds',
    help: 'Unix time at which all that the registry says was last served here. An old one: it is unavailable, or says what is rejected.',
    aggregator: 'min',
    registers,
  });
  const rejections = new Counter({
    name: 'trellis_gateway_registry_rejections_total',
    help: 'What a registry says and is not served, by reason; each once for as long as it lasts.',
    labelNames: ['reason'],
    registers,
  });
  const aborts = new Counter({
    name: 'trellis_gateway_canary_aborts_total',
    help: 'Canaries that were stopped because they are worse than the main version.',
    labelNames: ['variant'],
    registers,
  });
  return {
    canaries: createCanaryMetrics(registry),
    begin: () => history.begin(),
    verified: (record) => history.verified(record),
    serving({ record, contract = '', variants: served }) {
      history.serving(record);
      info.reset();
      info.set(
        {
          environment: record.environment,
          sequence: String(record.sequence),
          release: record.release.digest,
          contract,
        },
        1,
      );
      variants.reset();
      for (const { name, rule, release } of served)
        variants.set(
          { variant: name, rule: rule.kind, release: release.digest },
          rule.kind === 'percent' ? rule.percent : 0,
        );
    },
    checked: () => checkedAt.set(Date.now() / 1_000),
    rejected: (reason) => rejections.inc({ reason }),
    aborted: (variant) => aborts.inc({ variant }),
  };
}

/** The newest records of the log, and since when each has been served here; 0: it was not. */
function createHistory(registry: Registry): Pick<RegistryMetrics, 'begin' | 'verified'> & {
  serving(record: RegistryRecord): void;
} {
  const servedAtS = new Map<number, number>();
  let records: readonly RegistryRecord[] = [];
  const gauge = new Gauge({
    name: 'trellis_gateway_registry_record_served_seconds',
    help: `The newest ${MOST_RECORDS} records of the registry: Unix time at which each began to be served here, or 0.`,
    labelNames: ['sequence', 'action', 'actor', 'release', 'recorded', 'variants'],
    aggregator: 'max',
    registers: [],
    collect() {
      this.reset();
      for (const record of records) this.set(labelsOf(record), servedAtS.get(record.sequence) ?? 0);
    },
  });
  registry.registerMetric(gauge);
  return {
    begin() {
      servedAtS.clear();
      records = [];
    },
    verified(record) {
      records = [...records.filter(({ sequence }) => sequence !== record.sequence), record].slice(
        -MOST_RECORDS,
      );
      const oldest = records[0]?.sequence ?? 0;
      for (const sequence of servedAtS.keys()) if (sequence < oldest) servedAtS.delete(sequence);
    },
    serving({ sequence }) {
      if (!servedAtS.has(sequence)) servedAtS.set(sequence, Date.now() / 1_000);
    },
  };
}

function labelsOf({
  sequence,
  action,
  actor,
  release,
  at,
  variants,
}: RegistryRecord): Record<string, string> {
  return {
    sequence: String(sequence),
    action,
    actor,
    release: release.digest,
    recorded: at,
    variants: variants.map(({ name }) => name).join(', '),
  };
}

/** Reports what happens to a followed registry: metrics and log. */
export function observeRegistry(
  metrics: RegistryMetrics,
  graphMetrics: GraphMetrics,
  logger: Logger,
): RegistryObserver {
  let known: ReadonlySet<Supergraph> = new Set();
  return {
    verified: (record) => metrics.verified(record),
    serving(served) {
      const { record, contract, main, variants, withoutContract = [], surplus = [] } = served;
      const generations = generationsOf(served);
      for (const generation of generations) if (!known.has(generation)) graphMetrics.serving(generation);
      known = generations;
      metrics.serving(served);
      const { environment, sequence, release, action } = record;
      const named = variants.map(({ name }) => name);
      logger.info(
        {
          supergraph: main.hash,
          environment,
          sequence,
          release: release.digest,
          ...(contract !== undefined && { contract, withoutContract }),
          action,
          variants: named,
        },
        'supergraph loaded',
      );
      if (surplus.length > 0)
        logger.warn({ environment, sequence, surplus, most: MAX_VARIANTS }, 'surplus variants ignored');
    },
    stopped: (served) => metrics.serving(served),
    checked: () => metrics.checked(),
    rejected(error) {
      graphMetrics.rejected();
      const reason = error instanceof RegistryError ? error.code : 'INVALID_SUPERGRAPH';
      metrics.rejected(reason);
      logger.error({ err: error, reason }, 'registry rejected; keeping the current version');
    },
    copyFailed: (err) => logger.error({ err }, 'last good release cannot be read or stored'),
    verdictFailed: (sequence, err) => logger.warn({ err, sequence }, 'verdict of a record cannot be read'),
  };
}
