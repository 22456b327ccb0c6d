import { isProduction } from '@trellis/runtime';
import { amountsOf, DEFAULT_SHARES } from '@trellis/admission';
import { availableParallelism } from 'node:os';
import type { GatewayConfig } from './config.ts';
import type { GatewaySettings } from '../settings/settings.ts';
import type { HeaderSettings } from '../settings/header-settings.ts';
import { DEFAULT_COSTS, type CostSettings } from '../settings/cost-settings.ts';
import type { TransportSettings } from '../settings/settings-of-streams.ts';
import { DEFAULT_STREAM_SETTINGS, type StreamSettings } from '../settings/stream-settings.ts';
import { defaultPlannerThreads, type PlannerPoolOptions } from '../planning/threads/planner-pool.ts';
import { DEFAULT_CALLER_MS, DEFAULT_WINDOW_S } from '../settings/planning-settings.ts';
import type { AdmissionRules } from '../load/admission.ts';
import type { ConnectionRules } from '../load/connection-places.ts';
import type { UnreadRules } from '../load/unread-answers.ts';
import { compileTrafficRules, type TrafficRulesOf } from '../subgraphs/traffic-rules.ts';
import { DEFAULT_LIMITS, PROTECTIVE_LIMITS, type OperationLimits } from '../settings/limits.ts';
import type { PlanningAmount } from '../planning/threads/planning-budget.ts';

const DEFAULT_BATCH = 10;
const DEFAULT_BODY_BYTES = 1_048_576;
const DEFAULT_RESPONSE_CHARACTERS = 33_554_432;
const DEFAULT_REQUEST_MS = 30_000;
const DEFAULT_SUBGRAPH_MS = 10_000;
const DEFAULT_ADMISSION: Required<AdmissionRules> = {
  maxRequests: 2_000,
  maxDelayMs: 1_000,
  targetDelayMs: 10,
  perCaller: 0.75,
};
const DEFAULT_HEARTBEAT_MS = 10_000;
const DEFAULT_STALLED_MS = 30_000;
const DEFAULT_PLANNING_MS = 5_000;
const DEFAULT_CONNECTIONS = 32_768;
const DEFAULT_UNREAD_BYTES = 134_217_728;
const DEFAULT_READ_BYTES_PER_SECOND = 8_192;

/** What the environment and the file come to, with every default filled in. */
export interface SettingsInUse {
  readonly limits: OperationLimits;
  readonly costs: CostSettings;
  readonly batch: number;
  readonly bodyBytes: number;
  readonly responseCharacters: number;
  readonly requestMs: number;
  readonly traffic: TrafficRulesOf;
  readonly admission: AdmissionRules;
  readonly heartbeatMs: number;
  readonly stalledMs: number;
  readonly unread: UnreadRules;
  readonly connections: ConnectionRules;
  readonly planning: Pick<PlannerPoolOptions, 'threads' | 'deadlineMs'> & {
    /** Absent: unbounded. */
    readonly budget: PlanningAmount | undefined;
  };
  readonly introspection: boolean;
  readonly production: boolean;
  readonly headers: HeaderSettings;
  readonly streams: StreamSettings;
  readonly transports: TransportSettings;
}

/** Fills in the defaults. */
export function settingsInUse(config: GatewayConfig): SettingsInUse {
  const { settings } = config;
  const production = isProduction(config);
  return {
    limits: limitsOf(config),
    costs: costsOf(config),
    batch: settings.limits?.batch ?? DEFAULT_BATCH,
    bodyBytes: settings.limits?.bodyBytes ?? DEFAULT_BODY_BYTES,
    responseCharacters: settings.limits?.responseCharacters ?? DEFAULT_RESPONSE_CHARACTERS,
    requestMs: settings.timeouts?.requestMs ?? DEFAULT_REQUEST_MS,
    traffic: compileTrafficRules(
      settings.traffic ?? {},
      settings.timeouts?.subgraphMs ?? DEFAULT_SUBGRAPH_MS,
    ),
    admission: {
      maxRequests: settings.admission?.maxRequests ?? DEFAULT_ADMISSION.maxRequests,
      maxDelayMs: settings.admission?.maxDelayMs ?? DEFAULT_ADMISSION.maxDelayMs,
      targetDelayMs: settings.admission?.targetDelayMs ?? DEFAULT_ADMISSION.targetDelayMs,
      perCaller: settings.admission?.perCaller ?? DEFAULT_ADMISSION.perCaller,
    },
    heartbeatMs: settings.timeouts?.heartbeatMs ?? DEFAULT_HEARTBEAT_MS,
    stalledMs: settings.timeouts?.stalledMs ?? DEFAULT_STALLED_MS,
    unread: unreadOf(settings),
    connections: connectionsOf(settings),
    planning: planningOf(config),
    introspection: settings.introspection ?? !production,
    production,
    headers: {
      ...settings.headers,
      forward: [...config.FORWARD_HEADERS, ...(settings.headers?.forward ?? [])],
    },
    streams: streamsOf(config),
    transports: transportsOf(config),
  };
}

/** A gateway that somebody configured guards its operations; over a bare supergraph it protects the process alone. */
function isGuarded({ GUARDS, CONFIG, TOKEN_ISSUER }: GatewayConfig): boolean {
  return GUARDS === undefined ? CONFIG !== undefined || TOKEN_ISSUER !== undefined : GUARDS === 'on';
}

function planningOf(config: GatewayConfig): SettingsInUse['planning'] {
  const { planning = {}, timeouts = {} } = config.settings;
  const callerMs = planning.callerMs ?? (isGuarded(config) ? DEFAULT_CALLER_MS : undefined);
  const windowMs = (planning.windowS ?? DEFAULT_WINDOW_S) * 1_000;
  return {
    threads: planning.threads ?? defaultPlannerThreads(Math.ceil(availableParallelism() / config.WORKERS)),
    deadlineMs: timeouts.planningMs ?? DEFAULT_PLANNING_MS,
    budget: callerMs === undefined ? undefined : { callerMs, windowMs },
  };
}

function limitsOf(config: GatewayConfig): OperationLimits {
  const defaults = isGuarded(config) ? DEFAULT_LIMITS : PROTECTIVE_LIMITS;
  const configured = config.settings.limits ?? {};
  return {
    tokens: configured.tokens ?? defaults.tokens,
    selections: configured.selections ?? defaults.selections,
    nesting: defaults.nesting,
    overlaps: defaults.overlaps,
    variables: configured.variables ?? defaults.variables,
    depth: configured.depth ?? defaults.depth,
    aliases: configured.aliases ?? defaults.aliases,
    rootFields: configured.rootFields ?? defaults.rootFields,
    directives: configured.directives ?? defaults.directives,
    cost: configured.cost ?? defaults.cost,
    subgraphCalls: configured.subgraphCalls ?? defaults.subgraphCalls,
  };
}

function connectionsOf({ http = {} }: GatewaySettings): ConnectionRules {
  const { maxConnections = DEFAULT_CONNECTIONS, maxConnectionsPerAddress } = http;
  return {
    maxConnections,
    maxConnectionsPerAddress: maxConnectionsPerAddress ?? Math.ceil(maxConnections / 2),
  };
}

/** What a caller may leave unread, the networks around it may by their part of the whole. */
function unreadOf({ http = {}, timeouts = {} }: GatewaySettings): UnreadRules {
  const { bytes: totalBytes = DEFAULT_UNREAD_BYTES, callerBytes, bytesPerSecond } = http.unread ?? {};
  const [ofCaller, ...ofNetworks] = amountsOf(totalBytes, DEFAULT_SHARES.ofTotal);
  return {
    totalBytes,
    perCallerBytes: [callerBytes ?? ofCaller, ...ofNetworks],
    bytesPerSecond: bytesPerSecond ?? DEFAULT_READ_BYTES_PER_SECOND,
    stalledMs: timeouts.stalledMs ?? DEFAULT_STALLED_MS,
  };
}

function costsOf({ settings }: GatewayConfig): CostSettings {
  const configured = settings.cost ?? {};
  return {
    fieldCost: configured.field ?? DEFAULT_COSTS.fieldCost,
    typeCosts: configured.types ?? DEFAULT_COSTS.typeCosts,
    slicingArguments: configured.slicingArguments ?? DEFAULT_COSTS.slicingArguments,
    omittedSlice: configured.omittedSlice ?? DEFAULT_COSTS.omittedSlice,
    listSize: configured.listSize ?? DEFAULT_COSTS.listSize,
  };
}

function streamsOf({ settings }: GatewayConfig): StreamSettings {
  const { subscriptions = {}, live = {} } = settings;
  const defaults = DEFAULT_STREAM_SETTINGS;
  return {
    subgraphUrls: subscriptions.subgraphUrls ?? defaults.subgraphUrls,
    afterGap: subscriptions.afterGap ?? defaults.afterGap,
    maxPerUser: subscriptions.maxPerUser ?? defaults.maxPerUser,
    live: {
      intervalMs: live.intervalMs ?? defaults.live.intervalMs,
      minIntervalMs: live.minIntervalMs ?? defaults.live.minIntervalMs,
      maxIntervalMs: live.maxIntervalMs ?? defaults.live.maxIntervalMs,
      maxPerUser: live.maxPerUser ?? defaults.live.maxPerUser,
    },
    resolutionMs: settings.timeouts?.requestMs ?? defaults.resolutionMs,
  };
}

function transportsOf({ settings }: GatewayConfig): TransportSettings {
  const { webSocket = {}, ...subscriptions } = settings.subscriptions ?? {};
  const maxConnections = webSocket.maxConnections ?? 20_000;
  return {
    bufferBytes: subscriptions.bufferBytes ?? 1_048_576,
    heartbeatMs: subscriptions.heartbeatMs ?? 12_000,
    drainMs: subscriptions.drainMs ?? 5_000,
    initMs: webSocket.initMs ?? 3_000,
    maxConnections,
    maxConnectionsPerAddress: webSocket.maxConnectionsPerAddress ?? Math.ceil(maxConnections / 2),
    maxConnectionsPerUser: webSocket.maxConnectionsPerUser ?? 100,
    maxOperations: webSocket.maxOperations ?? 100,
    maxMessages: webSocket.maxMessages ?? 2_000,
    maxMessageBytes: webSocket.maxMessageBytes ?? settings.limits?.bodyBytes ?? DEFAULT_BODY_BYTES,
  };
}
