import { type Logger } from '@trellis/runtime';
import type { GatewayConfig } from '../config/config.ts';
import { responseCacheOf, type CacheAddress } from './redis-resources.ts';
import type { SettingsInUse } from '../config/settings-in-use.ts';
import type { TracingOptions } from '../observability/open-tracing.ts';
import type { Tracing } from '../observability/tracing.ts';
import type { ResponseCache } from '../response-cache/response-cache.ts';
import type { UsageRecording } from '../pipeline/services.ts';
import type { Opened, Prepared, Replaceable } from './replaceable.ts';
import type { RegistryInForce } from './registry-in-force.ts';
import type { UsageInForce } from './usage-in-force.ts';

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
  readonly usage: UsageInForce;
  /** Absent where none is followed: SUPERGRAPH says whether one is. */
  readonly registry: RegistryInForce | undefined;
}

/** What a reload replaces as a whole. */
export interface Replaced {
  readonly tracing: Tracing | undefined;
  readonly responseCache: ResponseCache | undefined;
  /** Absent where no usage is recorded. */
  readonly usage: UsageRecording | undefined;
}

/** What is in force now of all that a reload replaces. */
export function currentOf({ tracing, responseCache, usage }: ReplaceableResources): Replaced {
  return { tracing: tracing.current, responseCache: responseCache.current, usage: usage.current };
}

/**
 * Opens what a configuration replaces; nothing is in force before it is committed.
 *
 * @throws where it can't be opened, with everything as it was
 */
export async function prepareReplaced(
  resources: ReplaceableResources,
  config: GatewayConfig,
  inUse: SettingsInUse,
): Promise<Replaced & { commit(): void; discard(): Promise<void> }> {
  const prepared: Prepared<unknown>[] = [];
  const also = async <Value>(preparing: Promise<Prepared<Value>>): Promise<Value | undefined> => {
    const one = await preparing;
    prepared.push(one);
    return one.value;
  };
  const discard = async (): Promise<void> => {
    await Promise.all(prepared.map((one) => one.discard()));
  };
  try {
    if (resources.registry) await also(resources.registry.prepare(config, inUse));
    return {
      responseCache: await also(resources.responseCache.prepare(responseCacheOf(config))),
      tracing: await also(resources.tracing.prepare(tracesTo(inUse))),
      usage: await also(resources.usage.prepare(config, inUse)), // last: it leaves a mark in a folder
      commit: () => {
        for (const one of prepared) one.commit();
      },
      discard,
    };
  } catch (error) {
    await discard();
    throw error;
  }
}

function tracesTo({ telemetry }: SettingsInUse): TracesTo | undefined {
  const { endpoint, headers } = telemetry.tracing;
  return endpoint === undefined ? undefined : { endpoint, headers };
}
