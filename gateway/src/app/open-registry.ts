import { randomUUID } from 'node:crypto';
import { formatLogName, RegistryError, type LogName } from '@trellis/registry';
import { connectRedis } from '@trellis/redis';
import { StartupError } from '@trellis/runtime';
import { createOutageLog } from '@trellis/runtime/outage-log';
import { observeRegistry } from '../observability/registry-metrics.ts';
import { followRegistry, type FollowedRegistry } from '../registry/followed-registry.ts';
import { holdEvents } from '../registry/registry-observer.ts';
import { InvalidSupergraph } from '../supergraph/build-supergraph.ts';
import {
  exchangeThroughPrimary,
  exchangeThroughRedis,
  type TrialExchange,
  type TrialListener,
} from '../variants/trial-exchange.ts';
import type { PreviewTokens } from '../variants/preview-tokens.ts';
import { abortingCanaries, type AbortingCanaries } from './aborting-canaries.ts';
import {
  locateRegistry,
  type LocatedRegistry,
  type RegistryTo,
  type SupergraphParts,
} from './locate-registry.ts';
import type { Ending } from './replaceable.ts';

/** A registry whose head is verified and prepared, and serves when it begins to. */
export interface OpenRegistry {
  readonly log: LogName;
  readonly followed: FollowedRegistry;
  /** Absent before it has begun. */
  readonly canaries: AbortingCanaries | undefined;
  /**
   * Routes requests to what it names, and reports it.
   *
   * @param before the one that served: what has stopped there while this one was prepared is stopped here
   */
  begin(before: OpenRegistry | undefined): void;
  close(why: Ending): Promise<void>;
}

/** How a registry is opened. */
export interface OpeningRegistry {
  readonly to: RegistryTo;
  readonly previews: PreviewTokens;
  /** The one that serves: the new one has to be there, and starts none of its variants that have stopped. Absent at a start. */
  readonly before: OpenRegistry | undefined;
  readonly signal: AbortSignal;
}

/**
 * Opens a registry and prepares what its head says.
 *
 * @throws StartupError where it can't be verified, or can't be served
 */
export async function openRegistryAt(
  opening: OpeningRegistry,
  parts: SupergraphParts,
): Promise<OpenRegistry> {
  try {
    return await follow(opening, await locateRegistry(opening.to, parts.config), parts);
  } catch (error) {
    throw startError(error);
  }
}

async function follow(
  { previews, before, signal }: OpeningRegistry,
  located: LocatedRegistry,
  parts: SupergraphParts,
): Promise<OpenRegistry> {
  const { registryMetrics, metrics, logger } = parts;
  const isSameLog = before !== undefined && formatLogName(before.log) === formatLogName(located.log);
  const events = holdEvents(observeRegistry(registryMetrics, metrics, logger));
  if (!before) events.release(); // what goes wrong at a start is reported at once
  const followed = await followRegistry({
    ...located,
    subgraphUrls: parts.config.SUBGRAPH_URLS,
    warm: parts.openWarmUp(),
    retire: parts.retire,
    pollMs: () => parts.inUse().registry.pollMs,
    mayServeCopy: !before,
    stops: isSameLog ? before.followed.stops : [],
    signal,
    observer: events.observer,
  });
  let canaries: AbortingCanaries | undefined;
  return {
    log: located.log,
    followed,
    get canaries() {
      return canaries;
    },
    // Not the one that it was opened after: each would hold all before it in memory.
    begin(replaced) {
      if (replaced && !isSameLog) registryMetrics.begin();
      events.release();
      if (replaced && isSameLog) takeStops(followed, replaced, parts);
      replaced?.canaries?.routing.close(); // the figures of its canary end before those of the next begin
      canaries = abortingCanaries({ followed, located, previews }, parts, (listener) =>
        openExchange(parts, located, listener),
      );
    },
    async close(why) {
      await Promise.all([canaries?.close(why), followed.close()]); // recording an abort takes a while
    },
  };
}

/** What no longer serves because of that has served no one. */
function takeStops(
  followed: FollowedRegistry,
  replaced: OpenRegistry,
  { retire }: Pick<SupergraphParts, 'retire'>,
): void {
  const end = followed.onChange((retired) => retired.forEach(retire));
  followed.takeStops(replaced.followed.stops);
  end();
}

/** Each of these says in words what is wrong. */
export function startError(error: unknown): unknown {
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
  const [name, self] = [formatLogName(log), randomUUID()];
  if (url === undefined) return WORKERS > 1 ? exchangeThroughPrimary(name, self, listener) : undefined;
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
    name,
    self,
    listener,
  );
}
