import type { Logger } from '@trellis/runtime';
import { RegistryError } from '@trellis/registry';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { RegistryObserver } from '../registry/followed-registry.ts';
import { generationsOf, type ServedGenerations } from '../registry/served-generations.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import type { GraphMetrics } from './graph-metrics.ts';

/** Counts what a registry says, and what comes of it. */
export interface RegistryMetrics {
  serving(served: ServedGenerations): void;
  checked(): void;
  /** @param reason one of few */
  rejected(reason: string): void;
  aborted(variant: string): void;
}

/** Registers the series of a followed registry. Their labels come from signed records. */
export function createRegistryMetrics(registry: Registry): RegistryMetrics {
  const registers = [registry];
  const info = new Gauge({
    name: 'trellis_gateway_supergraph_info',
    help: 'The record of a registry that is served: 1. Without a registry there is none.',
    labelNames: ['environment', 'sequence', 'release'],
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
    serving({ record, variants: served }) {
      info.reset();
      info.set(
        {
          environment: record.environment,
          sequence: String(record.sequence),
          release: record.release.digest,
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

/** Reports what happens to a followed registry: metrics and log. */
export function observeRegistry(
  metrics: RegistryMetrics,
  graphMetrics: GraphMetrics,
  logger: Logger,
): RegistryObserver {
  let known: ReadonlySet<Supergraph> = new Set();
  return {
    serving(served) {
      const { record, main, variants } = served;
      const generations = generationsOf(served);
      for (const generation of generations) if (!known.has(generation)) graphMetrics.serving(generation);
      known = generations;
      metrics.serving(served);
      const { environment, sequence, release, action } = record;
      const named = variants.map(({ name }) => name);
      logger.info(
        { supergraph: main.hash, environment, sequence, release: release.digest, action, variants: named },
        'supergraph loaded',
      );
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
  };
}
