import { allowsConveniences, type Logger, type PrivateJsonWebKey, type Resources } from '@trellis/runtime';
import { createUserContextSigner, USER_CONTEXT_HEADER } from '@trellis/subgraph-protocol';
import type { Authenticator } from '../identity/authenticator.ts';
import { ANONYMOUS, CallerShares } from '../identity/caller.ts';
import { NO_REVOKED_TOKENS } from '../identity/revocation.ts';
import { createSubgraphContexts, type SubgraphContexts } from '../subgraphs/subgraph-context.ts';
import type { GatewayConfig } from '../config/config.ts';
import { SubgraphConnections } from '../subgraphs/connections/subgraph-connections.ts';
import { createSubgraphClient, type SubgraphClient } from '../subgraphs/subgraph-client.ts';
import type { GenerationRouting, UsageRecording } from '../pipeline/services.ts';
import type { StartPlanner } from '../planning/threads/worker-thread.ts';
import { createIssuerConnections, type IssuerConnections } from './issuer-connections.ts';
import { openRedisResources, type CacheAddress, type RedisResources } from './redis-resources.ts';
import type { SettingsInUse } from '../config/settings-in-use.ts';
import { createOpenStreams, type OpenStreams } from '../streams/open-streams.ts';
import type { SupergraphStore } from '../supergraph/supergraph-store.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { createGraphMetrics } from '../observability/graph-metrics.ts';
import {
  createRunMetrics,
  createStreamMetrics,
  createTrafficMetrics,
  registerTrafficGauges,
  type RunMetrics,
  type StreamMetrics,
} from '../observability/traffic-metrics.ts';
import { LastMade } from './last-made.ts';
import { openSupergraphs, type OpenSupergraphs } from './open-supergraphs.ts';
import { createRegistryMetrics } from '../observability/registry-metrics.ts';
import { FieldUsers } from '../usage/field-users.ts';
import { exchangeUsersThroughPrimary } from '../usage/users-exchange.ts';
import { UsageInForce } from './usage-in-force.ts';
import { Replaceable } from './replaceable.ts';
import { openTracesTo, type ReplaceableResources, type TracesTo } from './replaced-resources.ts';
import { createTrafficStates, type TrafficStates } from '../subgraphs/traffic-states.ts';
import { openLoad, type LoadResources } from './open-load.ts';
import { openPlanning, type CurrentState, type PlanningResources } from './open-planning.ts';

/** What decides who a caller is. */
interface AuthenticationRules {
  readonly authentication: SettingsInUse['authentication'];
  readonly policies: SettingsInUse['authorization']['policies'];
}

/** What lives as long as the gateway, through every change of its configuration. */
export interface GatewayResources
  extends Omit<RedisResources, 'openResponseCache'>, ReplaceableResources, LoadResources, PlanningResources {
  readonly supergraphs: SupergraphStore;
  readonly generations: GenerationRouting;
  /** Sends whatever it is given, by no rules. */
  readonly subgraphClient: SubgraphClient;
  readonly connections: SubgraphConnections;
  readonly traffic: TrafficStates;
  readonly shares: CallerShares;
  readonly contexts: SubgraphContexts | undefined;
  readonly streams: OpenStreams;
  readonly streamMetrics: StreamMetrics;
  readonly runMetrics: RunMetrics;
  readonly issuers: IssuerConnections;
  readonly authenticators: LastMade<AuthenticationRules, Authenticator>;
  close(): Promise<void>;
}

/** What a gateway is given by the process that it runs in. */
export interface GatewayMeans extends Resources {
  /** @default as `PlannerPoolOptions.start` */
  readonly startPlanner?: StartPlanner | undefined;
}

/**
 * Opens them. Redis, issuers and subgraphs need not be there yet.
 *
 * @param current the configuration in force, asked when there is something to serve
 * @throws when there is no supergraph to serve
 */
export async function openResources(
  config: GatewayConfig,
  inUse: SettingsInUse,
  { logger, metrics, startPlanner }: GatewayMeans,
  current: CurrentState,
): Promise<GatewayResources> {
  const contexts = await createContexts(config.USER_CONTEXT_PRIVATE_KEY); // it may fail, before anything is open
  const graphMetrics = createGraphMetrics(metrics);
  const { operationCacheOf, prepare, openWarmUp, ...planning } = openPlanning(config, inUse, current, {
    logger,
    metrics: graphMetrics,
    startPlanner,
  });
  const { planner } = planning;
  const registryMetrics = createRegistryMetrics(metrics);
  const parts = {
    config,
    inUse: current.inUse,
    logger,
    metrics: graphMetrics,
    registryMetrics,
    operationCacheOf,
    prepare,
    openWarmUp,
    retire: (generation: Supergraph) => planner.retire(generation),
  };
  const served = await openSupergraphs(parts).catch((error: unknown) =>
    planner.close().then(() => Promise.reject(error as Error)),
  );
  const { supergraphs, generations, registry } = served;
  supergraphs.onChange((retired) => retired.forEach((generation) => planner.retire(generation)));
  const connections = new SubgraphConnections(inUse.subgraphConnections, CONNECTION_BOUNDS);
  const subgraphClient = createSubgraphClient({ connections });
  const traffic = openTraffic(logger, metrics);
  const load = openLoad(inUse, metrics);
  const {
    close: closeRedis,
    openResponseCache,
    ...shared
  } = await openRedisResources(config, logger, metrics).catch(async (error: unknown) => {
    await closeGraph({ served, planner, connections });
    throw error;
  });
  const drainMs = (): number => current.inUse().timeouts.requestMs;
  const tracing = new Replaceable({
    drainMs,
    open: (to: TracesTo | undefined) => openTracesTo(to, current.inUse, logger),
  });
  const responseCache = new Replaceable({
    drainMs,
    open: async (address: CacheAddress | undefined) => address && openResponseCache(address),
  });
  const usage = new UsageInForce({ logger, metrics }, current.inUse, (recording) =>
    allowsConveniences(config) ? openUsers(recording, config) : undefined,
  );
  const streamMetrics = createStreamMetrics(metrics);
  const streams = createOpenStreams({
    supergraphs,
    services: current.services,
    settings: current.inUse,
    connections,
    revokedTokens: shared.revocations ?? NO_REVOKED_TOKENS,
    holdUser: (userId) => shared.activity.hold(userId),
    initPayload: async (subgraph) =>
      contexts ? { [USER_CONTEXT_HEADER]: await contexts.signedFor(ANONYMOUS, subgraph) } : {},
    observer: {
      ...streamMetrics,
      interrupted: (subgraph, error) => {
        streamMetrics.interrupted(subgraph);
        logger.warn({ subgraph, err: error }, 'upstream subscription interrupted');
      },
    },
  });
  return {
    supergraphs,
    generations,
    registry,
    ...planning,
    subgraphClient,
    connections,
    traffic,
    ...load,
    shares: new CallerShares(),
    ...shared,
    contexts,
    streams,
    streamMetrics,
    runMetrics: createRunMetrics(metrics),
    usage,
    tracing,
    responseCache,
    issuers: createIssuerConnections({
      cooldownMs: () => current.inUse().authentication.jwksCooldownMs,
      logger,
    }),
    authenticators: new LastMade(),
    close: () =>
      closeResources({
        streams,
        unread: load.unread,
        served,
        planner,
        connections,
        tracing,
        responseCache,
        usage,
        closeRedis,
      }),
  };
}

/** Each worker knows of its own requests. */
function openUsers(usage: UsageRecording, { WORKERS }: GatewayConfig): FieldUsers {
  return new FieldUsers(usage, (own) =>
    WORKERS > 1 ? exchangeUsersThroughPrimary(WORKERS - 1, own) : undefined,
  );
}

interface Closeable extends Pick<
  GatewayResources,
  'streams' | 'unread' | 'planner' | 'connections' | 'tracing' | 'responseCache' | 'usage'
> {
  readonly served: OpenSupergraphs;
  readonly closeRedis: () => Promise<void>;
}

/** In the order in which they use one another; a new supergraph that is being prepared stops waiting for its plans. */
async function closeResources(resources: Closeable): Promise<void> {
  await resources.streams.close();
  resources.unread.close();
  await closeGraph(resources);
  await resources.closeRedis();
  await resources.responseCache.close();
  await resources.tracing.close();
  await resources.usage.close();
}

async function closeGraph({
  served,
  planner,
  connections,
}: Pick<Closeable, 'served' | 'planner' | 'connections'>): Promise<void> {
  const closed = served.close();
  await planner.close();
  await connections.close();
  await closed;
}

/** How many sockets to one origin are used is for the rules of each subgraph to say. */
const CONNECTION_BOUNDS = { maxConnections: 4_096, connectTimeoutMs: 10_000 } as const;

function openTraffic(logger: Logger, metrics: Resources['metrics']): TrafficStates {
  const observer = createTrafficMetrics(metrics);
  const states = createTrafficStates({
    ...observer,
    breakerChanged(subgraph, state) {
      observer.breakerChanged(subgraph, state);
      if (state === 'open') logger.error({ subgraph }, 'circuit breaker opened');
      else logger.info({ subgraph }, 'circuit breaker closed');
    },
  });
  registerTrafficGauges(metrics, states);
  return states;
}

async function createContexts(
  privateKey: PrivateJsonWebKey | undefined,
): Promise<SubgraphContexts | undefined> {
  return privateKey && createSubgraphContexts({ signer: await createUserContextSigner({ privateKey }) });
}
