import type { Deployable, Logger, Resources } from '@trellis/deployable';
import { createUserContextSigner } from '@trellis/user-context';
import type { JSONWebKeySet, JWK } from 'jose';
import { ANONYMOUS_ONLY, createAuthenticator, type Authenticator } from './auth/authenticator.ts';
import { fetchKeySet } from './auth/fetch-key-set.ts';
import { createKeySet } from './auth/key-set.ts';
import { createSubgraphContexts, type SubgraphContexts } from './auth/subgraph-context.ts';
import type { TrustedIssuer } from './auth/verify-access-token.ts';
import { createMemoryPersistedQueryStore } from './caching/persisted-query-store.ts';
import type { GatewayConfig } from './config.ts';
import { createSubgraphClient } from './execution/subgraph-client.ts';
import { createOperationCatalogue, type OperationCatalogue } from './pipeline/operation-catalogue.ts';
import type { PipelineObserver, PipelineServices } from './pipeline/services.ts';
import { createSubgraphHeaders } from './pipeline/subgraph-headers.ts';
import { createOperationPlanner } from './planning/plan-operation.ts';
import { buildServer } from './server.ts';
import type { IssuerSettings } from './settings.ts';
import { settingsInUse, type SettingsInUse } from './settings-in-use.ts';
import { createSupergraphStore, type SupergraphStore } from './supergraph/supergraph-store.ts';
import type { Supergraph } from './supergraph/supergraph.ts';

/** Starts a gateway in this process. Rejects when it can't serve. */
export async function startGateway(
  config: GatewayConfig,
  { logger, metrics }: Resources,
): Promise<Deployable> {
  const inUse = settingsInUse(config);
  const supergraphs = await openSupergraphs(config, logger);
  const services = await createServices(config, inUse, supergraphs, logger);
  const server = buildServer({
    logger,
    metrics,
    services,
    bounds: { batch: inUse.batch, variables: inUse.limits.variables },
    maxBodyBytes: inUse.bodyBytes,
    requestTimeoutMs: inUse.requestMs,
    contextKeys: publicKeysOf(config.USER_CONTEXT_PRIVATE_KEY),
    readiness: {},
  });
  const url = await server.listen({ port: config.PORT, host: config.HOST });
  let closing: Promise<void> | undefined;
  return {
    url,
    close: () => {
      closing ??= server.close().then(() => closeServices(services));
      return closing;
    },
  };
}

/** In the order in which they use one another. */
async function closeServices({ planner, subgraphClient, supergraphs }: PipelineServices): Promise<void> {
  await planner.close();
  await subgraphClient.close();
  await supergraphs.close();
}

function openSupergraphs(
  { SUPERGRAPH, SUBGRAPH_URLS }: GatewayConfig,
  logger: Logger,
): Promise<SupergraphStore> {
  const remote = /^https?:\/\//.test(SUPERGRAPH);
  return createSupergraphStore({
    ...(remote ? { url: SUPERGRAPH } : { file: SUPERGRAPH }),
    subgraphUrls: SUBGRAPH_URLS,
    observer: {
      swapped: ({ hash }) => logger.info({ supergraph: hash }, 'serving a new supergraph'),
      rejected: (source, error) =>
        logger.error({ err: error, source }, 'the supergraph is not usable; the one before goes on serving'),
    },
  });
}

async function createServices(
  config: GatewayConfig,
  inUse: SettingsInUse,
  supergraphs: SupergraphStore,
  logger: Logger,
): Promise<PipelineServices> {
  const contexts = await createContexts(config.USER_CONTEXT_PRIVATE_KEY);
  return {
    supergraphs,
    catalogueOf: createCatalogues(config, inUse),
    persistedQueries: createMemoryPersistedQueryStore(),
    limits: inUse.limits,
    authenticator: createConfiguredAuthenticator(config, logger),
    planner: createOperationPlanner({ maxSelections: inUse.limits.selections }),
    subgraphClient: createSubgraphClient({ timeoutMs: inUse.subgraphMs }),
    headersForSubgraphs: createSubgraphHeaders({ forward: inUse.forwardHeaders, contexts }),
    errorPolicy: { exposeInternals: !inUse.production },
    observer: createObserver(logger),
  };
}

/** One catalogue for each generation of the graph, which goes when the generation goes. */
function createCatalogues(
  { settings }: GatewayConfig,
  { limits, costs, introspection }: SettingsInUse,
): (supergraph: Supergraph) => OperationCatalogue {
  const catalogues = new WeakMap<Supergraph, OperationCatalogue>();
  const policies = settings.authorization?.policies ?? {};
  return (supergraph) => {
    const known = catalogues.get(supergraph);
    if (known) return known;
    const catalogue = createOperationCatalogue(supergraph, { limits, costs, policies, introspection });
    catalogues.set(supergraph, catalogue);
    return catalogue;
  };
}

function createConfiguredAuthenticator(config: GatewayConfig, logger: Logger): Authenticator {
  const { authentication = {} } = config.settings;
  const issuers = issuersOf(config).map((issuer) => trust(issuer, authentication.jwksCooldownMs, logger));
  if (issuers.length === 0) return ANONYMOUS_ONLY;
  for (const { keys } of issuers) keys.load().catch(() => undefined); // told by onFetchError, and tried again at need
  return createAuthenticator({
    issuers,
    ...(authentication.leewayS !== undefined && { leewayS: authentication.leewayS }),
  });
}

function issuersOf({
  TOKEN_ISSUER,
  TOKEN_AUDIENCE,
  TOKEN_JWKS_URL,
  settings,
}: GatewayConfig): IssuerSettings[] {
  const further = settings.authentication?.issuers ?? [];
  if (TOKEN_ISSUER === undefined || TOKEN_AUDIENCE === undefined || TOKEN_JWKS_URL === undefined)
    return [...further];
  return [{ issuer: TOKEN_ISSUER, audience: TOKEN_AUDIENCE, jwksUrl: TOKEN_JWKS_URL }, ...further];
}

function trust(
  { issuer, audience, jwksUrl }: IssuerSettings,
  cooldownMs: number | undefined,
  logger: Logger,
): TrustedIssuer {
  const keys = createKeySet({
    fetchKeys: () => fetchKeySet(jwksUrl),
    ...(cooldownMs !== undefined && { cooldownMs }),
    onFetchError: (error) =>
      logger.warn({ err: error, issuer }, 'the keys of an issuer could not be fetched'),
  });
  return { issuer, audience, keys };
}

async function createContexts(privateKey: JWK | undefined): Promise<SubgraphContexts | undefined> {
  return privateKey && createSubgraphContexts({ signer: await createUserContextSigner({ privateKey }) });
}

/** Member by member, so that nothing private can get in. RFC 7518 §6.2.1. */
function publicKeysOf(privateKey: JWK | undefined): JSONWebKeySet | undefined {
  if (!privateKey) return undefined;
  const { kty, crv, x, y, kid } = privateKey;
  return { keys: [{ kty, crv, x, y, kid, alg: 'ES256', use: 'sig' } as JWK] }; // its members were checked with the configuration
}

function createObserver(logger: Logger): PipelineObserver {
  return {
    invalidToken: (requestId, reason) => logger.info({ requestId, reason }, 'an access token was refused'),
    internalError: (requestId, error) =>
      logger.error(
        { requestId, err: error.originalError ?? error, path: error.path?.join('.') },
        'an operation failed inside',
      ),
  };
}
