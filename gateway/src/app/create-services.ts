import type { Logger } from '@trellis/runtime';
import type { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import { ANONYMOUS_ONLY, createAuthenticator, type Authenticator } from '../identity/authenticator.ts';
import type { AccessTokenRules } from '../identity/verify-access-token.ts';
import { configuredIssuers } from '../config/configured-issuers.ts';
import { createSafelists, readListedOperations, type Retirement } from '../caching/safelist.ts';
import type { GatewayConfig } from '../config/config.ts';
import { SharedExecutions } from '../load/shared-executions.ts';
import { createRateLimiter, UNLIMITED_RATE } from '../load/rate-limiter.ts';
import { createOperationCaches, type OperationCacheSettings } from '../operation/operation-cache.ts';
import type { PersistedQueryPolicy } from '../pipeline/persisted-query.ts';
import { sha256 } from '../operation/document/sha256.ts';
import type { ResponsePolicy, PipelineObserver, PipelineServices } from '../pipeline/services.ts';
import { createSubgraphHeaders } from '../subgraphs/subgraph-headers.ts';
import { clientSoftwareOf } from '../identity/caller.ts';
import { manifestFiles } from '../config/read-settings.ts';
import { protectedResourceOf, type ProtectedResource } from '../identity/protected-resource.ts';
import { observeActivity } from '../identity/observe-activity.ts';
import type { Replaced } from './replaced-resources.ts';
import type { GatewayResources } from './resources.ts';
import type { ResponseCache, ResponseCaching } from '../response-cache/response-cache.ts';
import type { SettingsInUse } from '../config/settings-in-use.ts';
import type { RunMetrics } from '../observability/traffic-metrics.ts';
import { createRunTracer, traceFetches, tracePlanning } from '../observability/tracing.ts';
import { compileHeaderDisclosure } from '../subgraphs/header-disclosure.ts';
import { compileErrorDisclosures } from '../subgraphs/subgraph-failure.ts';
import { compileTrafficRules } from '../subgraphs/traffic-states.ts';
import { createShapingClient } from '../subgraphs/shaping-client.ts';

/**
 * Makes what the pipeline works with from one state of the configuration. A change of the configuration makes another.
 *
 * @throws InvalidManifest
 */
export function createServices(
  config: GatewayConfig,
  inUse: SettingsInUse,
  resources: GatewayResources,
  { tracing, responseCache, usage }: Replaced,
  logger: Logger,
): PipelineServices {
  const { rateLimits } = inUse;
  const protectedResource = configuredResource(config, inUse);
  const rulesOf = compileTrafficRules(inUse.traffic);
  const states = resources.traffic;
  const subgraphClient = createShapingClient(resources.subgraphClient, { rulesOf, states });
  return {
    supergraphs: resources.supergraphs,
    generations: resources.generations,
    operationCacheOf: createOperationCaches(operationCacheSettings(inUse)),
    persistedQueries: createPersistedQueryPolicy(config, inUse, resources, logger),
    knownOperations: resources.knownOperations,
    limits: inUse.limits,
    rateLimiter: rateLimits ? createRateLimiter(rateLimits, resources.cacheRedis) : UNLIMITED_RATE,
    protectedResource,
    requiresToken: inUse.authentication.required,
    authenticator: resources.authenticators.of(
      { authentication: inUse.authentication, policies: inUse.authorization.policies },
      () => createConfiguredAuthenticator(config, inUse, resources, logger),
    ),
    planner: tracing ? tracePlanning(resources.planner, tracing) : resources.planner,
    subgraphClient: tracing ? traceFetches(subgraphClient, tracing) : subgraphClient,
    breakerOf: (subgraph, url) => states.of(subgraph, rulesOf(subgraph), url).breaker,
    planningBudget: resources.planningBudget,
    shares: resources.shares,
    usage,
    tracer: tracing && createRunTracer(tracing),
    executionGate: resources.executionGate,
    textTurns: resources.textTurns,
    eventTurns: resources.eventTurns,
    sharedExecutions: new SharedExecutions(),
    headersForSubgraphs: createSubgraphHeaders({
      rules: inUse.headers,
      ofSubgraphs: inUse.headers.subgraphs,
      fromPayload: inUse.headers.fromPayload,
      contexts: resources.contexts,
    }),
    streams: resources.streams,
    responseCaching: responseCachingOf(config, inUse, responseCache),
    responsePolicy: {
      maxCharacters: inUse.limits.responseCharacters,
      ...shownExtensions(inUse),
      showsVersion: inUse.registry.responseHeader,
      ...headersThatDecide(inUse.headers),
      resourceMetadata: protectedResource?.metadataUrl,
    },
    disclosureOf: compileErrorDisclosures(inUse.subgraphErrors),
    headerDisclosure: compileHeaderDisclosure(inUse.headers),
    errorPolicy: { exposeInternals: !inUse.production },
    onError: inUse.onError,
    observer: createObserver(logger, resources.runMetrics),
  };
}

function responseCachingOf(
  { settings }: GatewayConfig,
  { responseCache: rules }: SettingsInUse,
  cache: ResponseCache | undefined,
): ResponseCaching | undefined {
  if (!rules || !cache) return undefined;
  return {
    cache,
    rules,
    sharePublic: rules.sharePublic,
    configuration: sha256(JSON.stringify({ ...settings, subgraphConnections: undefined })), // certificates rotate
  };
}

function operationCacheSettings(inUse: SettingsInUse): OperationCacheSettings {
  const { limits, cost: costs, introspection, authorization, overridePercents } = inUse;
  return { limits, costs, policies: authorization.policies, introspection, overridePercents };
}

function configuredResource(
  config: GatewayConfig,
  { authentication }: SettingsInUse,
): ProtectedResource | undefined {
  return protectedResourceOf({
    resource: authentication.resource,
    issuers: configuredIssuers(config),
    scopes: authentication.scopesSupported,
    takesCertificates: authentication.clientCertificate !== undefined,
  });
}

function createConfiguredAuthenticator(
  config: GatewayConfig,
  { authentication, authorization: { policies } }: SettingsInUse,
  resources: GatewayResources,
  logger: Logger,
): Authenticator {
  const { leewayS } = authentication;
  const callerRules = { policies, onAbsentClaims: createAbsenceReporter(logger) };
  const rules = { leewayS, callerRules };
  const issuers = configuredIssuers(config).map((configured) => ({
    ...configured,
    keys: resources.issuers.keysOf(configured),
    introspection: resources.issuers.introspectionOf(configured, rules),
  }));
  if (issuers.length === 0) return ANONYMOUS_ONLY;
  const authenticator = createAuthenticator({
    issuers,
    ...callerRules,
    proofs: { urls: authentication.dpopUrls, usedProofs: resources.usedProofs },
    leewayS,
    ...(resources.revocations && { revokedTokens: resources.revocations }),
  });
  return observeActivity(authenticator, resources.activity);
}

/** Logs each path of the configuration once: their number bounds the memory. */
function createAbsenceReporter(logger: Logger): NonNullable<AccessTokenRules['onAbsentClaims']> {
  const logged = new Set<string>();
  return (issuer, kinds) => {
    for (const kind of kinds) {
      const path = `${issuer} ${kind}`;
      if (logged.has(path)) continue;
      logged.add(path);
      logger.warn(
        { issuer, setting: `authentication.issuers[].claims.${kind}` },
        'claim path finds nothing in a token',
      );
    }
  };
}

function createPersistedQueryPolicy(
  { settings, listed, CONFIG = '.' }: GatewayConfig,
  { persistedQueries }: SettingsInUse,
  resources: GatewayResources,
  logger: Logger,
): PersistedQueryPolicy {
  const { mode, enforce } = persistedQueries;
  if (mode === 'off') return { kind: 'off' };
  if (mode === 'automatic')
    return {
      kind: 'automatic',
      store: resources.persistedQueriesIn(persistedQueries),
      shares: resources.storageShares.texts,
    };
  const files = manifestFiles(settings, CONFIG);
  const safelists = createSafelists(listed ?? readListedOperations(files));
  const { all } = safelists;
  logger.info({ operations: all.size, clients: files.clients.size }, 'safelist enabled');
  return {
    kind: 'safelist',
    safelistOf:
      files.clients.size > 0 || files.lists !== undefined
        ? (context, caller) =>
            safelists.of({
              software: clientSoftwareOf(context),
              oauthClient: caller?.context.clientId,
            })
        : () => all,
    needsCaller: safelists.needOAuthClient,
    all,
    enforced: enforce,
    onUnlisted: createUnlistedReporter(logger),
    onRetired: createRetiredReporter(logger),
  };
}

const MAX_REMEMBERED_TEXTS = 1_000;

/** Logs each text once; the memory is bounded. */
function createUnlistedReporter(logger: Logger): (text: string) => void {
  const logged = new LRUCache<string, true>({ max: MAX_REMEMBERED_TEXTS });
  return (text) => {
    const hash = sha256(text);
    if (logged.has(hash)) return;
    logged.set(hash, true);
    logger.warn({ hash, characters: text.length }, 'operation not on the safelist');
  };
}

/** Logs each version of a client once. */
function createRetiredReporter(logger: Logger): (retirement: Retirement) => void {
  const logged = new Set<string>();
  return ({ client, at }) => {
    if (logged.has(client)) return;
    logged.add(client); // as many as there are lists
    logger.warn({ client, at }, 'operation from a retired client version');
  };
}

function createObserver(logger: Logger, runMetrics: RunMetrics): PipelineObserver {
  return {
    ...runMetrics,
    invalidToken: (requestId, reason) => logger.info({ requestId, reason }, 'access token rejected'),
    internalError: (requestId, error) =>
      logger.error(
        { requestId, err: error.originalError ?? error, path: error.path?.join('.') },
        'operation failed internally',
      ),
    headersDropped: (requestId, names) =>
      logger.warn({ requestId, names }, 'headers of subgraphs exceed headers.responseBytes or 64 lines'),
    furtherErrors: (requestId, errors) =>
      logger.warn({ requestId, errors: countErrors(errors) }, 'operation had further errors'),
    ...(logger.isLevelEnabled('trace') && {
      stageEntered: (requestId, kind, stage) => logger.trace({ requestId, kind, stage }, 'stage entered'),
    }),
  };
}

/** Equal errors once, with their number: a list whose elements all fail is one record. */
function countErrors(errors: readonly GraphQLError[]): readonly { message: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { message } of errors) counts.set(message, (counts.get(message) ?? 0) + 1);
  return [...counts].map(([message, count]) => ({ message, count }));
}

function shownExtensions({
  extensions: shows,
}: SettingsInUse): Pick<ResponsePolicy, 'shows' | 'showsAny' | 'explains'> {
  return { shows, showsAny: shows.cost || shows.plan || shows.timings, explains: shows.onRequest };
}

/** Only the operator can know which forwarded headers say who asks: all are taken to, unless they are declared public. */
function headersThatDecide(headers: SettingsInUse['headers']): Pick<ResponsePolicy, 'varyOn' | 'privateFor'> {
  const forwarded = forwardedNames(headers);
  const isPublic = new Set(headers.public.map((name) => name.toLowerCase()));
  return {
    varyOn: ['accept', ...CREDENTIALS, ...forwarded],
    privateFor: [...CREDENTIALS, ...forwarded.filter((name) => !isPublic.has(name))],
  };
}

const CREDENTIALS = ['authorization', 'cookie'];

function forwardedNames({ forward, subgraphs }: SettingsInUse['headers']): readonly string[] {
  const named = [...forward, ...Object.values(subgraphs).flatMap((rules) => rules.forward ?? [])];
  return [...new Set(named.map((name) => name.toLowerCase()))];
}
