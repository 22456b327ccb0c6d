import { type Logger } from '@trellis/runtime';
import type { GatewayConfig } from '../config/config.ts';
import { responseCacheOf, type CacheAddress } from './redis-resources.ts';
import type { SettingsInUse } from '../config/settings-in-use.ts';
import type { TracingOptions } from '../observability/open-tracing.ts';
import type { Tracing } from '../observability/tracing.ts';
import type { ResponseCache } from '../response-cache/response-cache.ts';
import type { Opened, Replaceable } from './replaceable.ts';

/** Where traces go. */
export type TracesTo = Pick<TracingOptions, 'endpoint' | 'headers'>;

/** Who records nothing does not load what it takes, either. */
export async function openTracesTo(
  to: TracesTo | undefined,
  inUse: () => SettingsInUse,
  logger: Logger,
): Promise<Opened<Tracing> | undefined> {
  if (!to) return undefined;
  const { openTracing } = await import('../observability/open-tracing.ts');
  const sampleRatio = (): number => inUse().telemetry.tracing.sampleRatio;
  const tracing = openTracing({ ...to, sampleRatio }, logger);
  return { value: tracing, close: () => tracing.close() };
}

/** Resources that a reload may replace. */
export interface ReplaceableResources {
  /** Absent where nothing is traced. */
  readonly tracing: Replaceable<TracesTo | undefined, Tracing>;
  /** Absent where no responses are stored. */
  readonly responseCache: Replaceable<CacheAddress | undefined, ResponseCache>;
}

/** What a reload replaces as a whole. */
export interface Replaced {
  readonly tracing: Tracing | undefined;
  readonly responseCache: ResponseCache | undefined;
}

/**
 * Opens what a configuration replaces; nothing is in force before it is committed.
 *
 * @throws where it can't be opened, with everything as it was
 */
export async function prepareReplaced(
  { tracing, responseCache }: ReplaceableResources,
  config: GatewayConfig,
  { telemetry }: SettingsInUse,
): Promise<Replaced & { commit(): void; discard(): Promise<void> }> {
  const cache = await responseCache.prepare(responseCacheOf(config));
  const { endpoint, headers } = telemetry.tracing;
  const traces = await tracing.prepare(endpoint === undefined ? undefined : { endpoint, headers });
  return {
    tracing: traces.value,
    responseCache: cache.value,
    commit: () => {
      cache.commit();
      traces.commit();
    },
    discard: async () => {
      await Promise.all([cache.discard(), traces.discard()]);
    },
  };
}
