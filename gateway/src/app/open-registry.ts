import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { FolderStore, formatLogName, parseLogName, RegistryError, TrustedKeys } from '@trellis/registry';
import { connectRedis } from '@trellis/redis';
import { CannotStart } from '@trellis/runtime';
import { observeRegistry, type RegistryMetrics } from '../observability/registry-metrics.ts';
import type { OperationCatalogue } from '../operation/operation-catalogue.ts';
import { followRegistry, type FollowOptions } from '../registry/followed-registry.ts';
import type { RegistrySettings } from '../settings/registry.ts';
import { InvalidSupergraph } from '../supergraph/build-supergraph.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { NO_PREVIEW_TOKENS, readPreviewTokens, type PreviewTokens } from '../variants/preview-tokens.ts';
import {
  exchangeThroughPrimary,
  exchangeThroughRedis,
  type TrialExchange,
  type TrialListener,
} from '../variants/trial-exchange.ts';
import { abortingCanaries } from './aborting-canaries.ts';
import type { OpenSupergraphs, SupergraphParts } from './open-supergraphs.ts';

/** What a registry needs beside. */
export interface RegistryParts {
  readonly registryMetrics: RegistryMetrics;
  readonly catalogueOf: (supergraph: Supergraph) => OperationCatalogue;
}

/** A registry, and what is trusted of it. */
export interface LocatedRegistry extends Pick<FollowOptions, 'store' | 'log' | 'trust' | 'directory'> {
  readonly settings: RegistrySettings;
  readonly previews: PreviewTokens;
}

/**
 * Begins to follow the registry of gateway.yaml, and to route requests to what it names.
 *
 * @throws CannotStart where there is nothing to serve
 */
export async function openRegistry(parts: SupergraphParts): Promise<OpenSupergraphs> {
  const located = await locate(parts).catch((error: unknown) => {
    throw startError(error);
  });
  const { store, log, trust, directory, settings } = located;
  const followed = await followRegistry({
    store,
    log,
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
    close: async () => {
      await canaries.close();
      await followed.close();
    },
  };
}

/** @throws Error where a file can't be read, or is not what it should be */
async function locate({ config, inUse }: SupergraphParts): Promise<LocatedRegistry> {
  const { registry: settings } = inUse;
  const pathOf = (path: string): string => resolve(dirname(config.CONFIG ?? '.'), path);
  const { source = '', graph = '', trust = '', directory, previewKeys } = settings; // the configuration was checked
  return {
    settings,
    store: new FolderStore(pathOf(source)),
    log: parseLogName(graph),
    trust: await TrustedKeys.parse(await readFile(pathOf(trust), 'utf8')),
    previews: previewKeys === undefined ? NO_PREVIEW_TOKENS : readPreviewTokens(pathOf(previewKeys), graph),
    directory: directory === undefined ? undefined : pathOf(directory),
  };
}

/** Each of these says in words what is wrong. */
function startError(error: unknown): unknown {
  const isExplained =
    error instanceof RegistryError ||
    error instanceof InvalidSupergraph ||
    (error instanceof Error && !(error instanceof TypeError));
  return isExplained ? new CannotStart(`registry: ${error.message}`, { cause: error }) : error;
}

/** Where processes tell each other nothing, each judges what it has seen. */
function openExchange(
  { config, logger }: SupergraphParts,
  { log }: LocatedRegistry,
  listener: TrialListener,
): TrialExchange | undefined {
  const { CACHE_REDIS_URL: url, WORKERS } = config;
  const self = randomUUID();
  if (url === undefined) return WORKERS > 1 ? exchangeThroughPrimary(self, listener) : undefined;
  const connect = (purpose: string): ReturnType<typeof connectRedis> =>
    connectRedis({
      url,
      name: `trellis-gateway-canary-${purpose}`,
      onError: (error) => logger.warn({ reason: error.message }, 'canary counts cannot be exchanged'),
    });
  return exchangeThroughRedis(
    { publisher: connect('publisher'), subscriber: connect('subscriber') },
    formatLogName(log),
    self,
    listener,
  );
}
