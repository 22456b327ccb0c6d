import { randomUUID } from 'node:crypto';
import { formatLogName, RegistryError } from '@trellis/registry';
import { connectRedis } from '@trellis/redis';
import { StartupError } from '@trellis/runtime';
import { createOutageLog } from '@trellis/runtime/outage-log';
import { observeRegistry } from '../observability/registry-metrics.ts';
import { followRegistry } from '../registry/followed-registry.ts';
import { InvalidSupergraph } from '../supergraph/build-supergraph.ts';
import {
  exchangeThroughPrimary,
  exchangeThroughRedis,
  type TrialExchange,
  type TrialListener,
} from '../variants/trial-exchange.ts';
import { abortingCanaries } from './aborting-canaries.ts';
import {
  locateRegistry,
  type LocatedRegistry,
  type OpenSupergraphs,
  type SupergraphParts,
} from './locate-registry.ts';

/**
 * Begins to follow the registry of gateway.yaml, and to route requests to what it names.
 *
 * @throws StartupError where there is nothing to serve
 */
export async function followRegistryOf(parts: SupergraphParts): Promise<OpenSupergraphs> {
  const located = await locateRegistry(parts).catch((error: unknown) => {
    throw startError(error);
  });
  const { store, log, contract, trust, directory, settings } = located;
  const followed = await followRegistry({
    store,
    log,
    contract,
    trust,
    directory,
    subgraphUrls: parts.config.SUBGRAPH_URLS,
    warm: parts.warm,
    pollMs: () => settings.pollMs,
    observer: observeRegistry(parts.registryMetrics, parts.metrics, parts.logger),
  }).catch((error: unknown) => {
    throw startError(error);
  });
  const canaries = abortingCanaries(followed, located, parts, (listener) =>
    openExchange(parts, located, listener),
  );
  return {
    supergraphs: followed,
    generations: canaries.routing,
    verdicts: followed.verdicts,
    close: async () => {
      await canaries.close();
      await followed.close();
    },
  };
}

/** Each of these says in words what is wrong. */
function startError(error: unknown): unknown {
  const isExplained =
    error instanceof RegistryError ||
    error instanceof InvalidSupergraph ||
    (error instanceof Error && !(error instanceof TypeError));
  return isExplained ? new StartupError(`registry: ${error.message}`, { cause: error }) : error;
}

/** Without an exchange, each process judges what it has seen. */
function openExchange(
  { config, logger }: SupergraphParts,
  { log }: LocatedRegistry,
  listener: TrialListener,
): TrialExchange | undefined {
  const { CACHE_REDIS_URL: url, WORKERS } = config;
  const self = randomUUID();
  if (url === undefined) return WORKERS > 1 ? exchangeThroughPrimary(self, listener) : undefined;
  const failure = 'canary counts cannot be exchanged';
  const failures = createOutageLog({ logger, failure, isTransient: () => true });
  const connect = (purpose: string): ReturnType<typeof connectRedis> =>
    connectRedis({
      url,
      name: `trellis-gateway-canary-${purpose}`,
      onError: (error) => failures.failed(error),
    });
  return exchangeThroughRedis(
    { publisher: connect('publisher'), subscriber: connect('subscriber'), failures },
    formatLogName(log),
    self,
    listener,
  );
}
