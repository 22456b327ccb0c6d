import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { openRegistry, parseLogName, registryAuthorization, TrustedKeys } from '@trellis/registry';
import type { Logger } from '@trellis/runtime';
import type { GatewayConfig } from '../config/config.ts';
import type { SettingsInUse } from '../config/settings-in-use.ts';
import type { GraphMetrics } from '../observability/graph-metrics.ts';
import type { RegistryMetrics } from '../observability/registry-metrics.ts';
import type { OperationCache } from '../operation/operation-cache.ts';
import type { GenerationRouting } from '../pipeline/services.ts';
import type { FollowedRegistry, FollowOptions } from '../registry/followed-registry.ts';
import type { RegistrySettings } from '../settings/registry.ts';
import type { SupergraphStore } from '../supergraph/supergraph-store.ts';
import type { Supergraph, SupergraphText } from '../supergraph/supergraph.ts';
import { NO_PREVIEW_TOKENS, readPreviewTokens, type PreviewTokens } from '../variants/preview-tokens.ts';

/** What supergraphs are opened with, wherever they come from. */
export interface SupergraphParts {
  readonly config: GatewayConfig;
  readonly inUse: SettingsInUse;
  readonly logger: Logger;
  readonly metrics: GraphMetrics;
  readonly registryMetrics: RegistryMetrics;
  readonly operationCacheOf: (supergraph: Supergraph) => OperationCache;
  /** Prepares a generation before it serves. */
  readonly prepare: (next: SupergraphText) => () => void;
  readonly warm: (next: Supergraph) => Promise<void>;
}

/** What is served, and which of it for whom. */
export interface OpenSupergraphs {
  readonly supergraphs: SupergraphStore;
  readonly generations: GenerationRouting;
  /** Undefined without a registry. */
  readonly verdicts?: FollowedRegistry['verdicts'] | undefined;
  /** Ends both. */
  close(): Promise<void>;
}

/** A registry, and what is trusted of it. */
export interface LocatedRegistry extends Pick<
  FollowOptions,
  'store' | 'log' | 'contract' | 'trust' | 'directory'
> {
  readonly settings: RegistrySettings;
  readonly previews: PreviewTokens;
}

/**
 * Reads where the registry of gateway.yaml is, and which keys are trusted there.
 *
 * @throws Error where a file can't be read, or is not what it should be
 */
export async function locateRegistry({
  config,
  inUse,
}: Pick<SupergraphParts, 'config' | 'inUse'>): Promise<LocatedRegistry> {
  const { registry: settings } = inUse;
  const pathOf = (path: string): string => resolve(dirname(config.CONFIG ?? '.'), path);
  const { source = '', graph = '', contract, trust = '', directory, previewKeys } = settings; // the configuration was checked
  return {
    settings,
    store: openRegistry(source.includes('://') ? source : pathOf(source), {
      authorize: registryAuthorization(config),
    }),
    log: parseLogName(graph),
    contract,
    trust: await TrustedKeys.parse(await readFile(pathOf(trust), 'utf8')),
    previews: previewKeys === undefined ? NO_PREVIEW_TOKENS : readPreviewTokens(pathOf(previewKeys), graph),
    directory: directory === undefined ? undefined : pathOf(directory),
  };
}
