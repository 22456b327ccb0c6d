import { StartupError } from '@trellis/runtime';
import type { GenerationRouting } from '../pipeline/services.ts';
import { InvalidSupergraph } from '../supergraph/build-supergraph.ts';
import { locateSupergraph } from '../supergraph/supergraph-source.ts';
import { createSupergraphStore, type SupergraphStore } from '../supergraph/supergraph-store.ts';
import type { SupergraphParts } from './locate-registry.ts';
import { RegistryInForce } from './registry-in-force.ts';

/** What is served, and which of it for whom. */
export interface OpenSupergraphs {
  readonly supergraphs: SupergraphStore;
  readonly generations: GenerationRouting;
  /** Absent where none is followed. */
  readonly registry?: RegistryInForce;
  /** Ends all of it. */
  close(): Promise<void>;
}

/** One generation serves, whatever the request. */
const ONE_GENERATION: GenerationRouting = Object.freeze({ active: undefined });

/**
 * Opens what SUPERGRAPH names: a file, a URL, running subgraphs, or the registry of gateway.yaml.
 *
 * @throws StartupError where there is nothing to serve
 */
export async function openSupergraphs(parts: SupergraphParts): Promise<OpenSupergraphs> {
  const { SUPERGRAPH, SUBGRAPH_URLS, supergraphSource } = parts.config;
  const location = supergraphSource ? { source: supergraphSource } : locateSupergraph(SUPERGRAPH);
  if (location && 'registry' in location) {
    const registry = await RegistryInForce.open(parts);
    return { supergraphs: registry, generations: registry, registry, close: () => registry.close() };
  }
  const supergraphs = await createSupergraphStore({
    ...location,
    subgraphUrls: SUBGRAPH_URLS,
    prepare: parts.prepare,
    warm: parts.openWarmUp(),
    observer: observe(parts),
  }).catch((error: unknown) => {
    throw error instanceof InvalidSupergraph ? new StartupError(error.message, { cause: error }) : error;
  });
  return { supergraphs, generations: ONE_GENERATION, close: () => supergraphs.close() };
}

type StoreObserver = NonNullable<Parameters<typeof createSupergraphStore>[0]['observer']>;

function observe({ config: { supergraphSource }, logger, metrics }: SupergraphParts): StoreObserver {
  return {
    serving: (supergraph) => {
      metrics.serving(supergraph);
      logger.info({ supergraph: supergraph.hash }, 'supergraph loaded');
    },
    waiting: (source, { message: reason }) =>
      logger.warn({ source, reason }, 'supergraph unavailable; retrying'),
    rejected: (source, error) => {
      metrics.rejected();
      if (supergraphSource?.rejected) return supergraphSource.rejected(error);
      logger.error({ err: error, source }, 'invalid supergraph; keeping the current version');
    },
  };
}
