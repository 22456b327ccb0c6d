import { allowsConveniences, StartupError, type Logger, type PrivateJsonWebKey } from '@trellis/runtime';
import type { JSONWebKeySet } from 'jose';
import type { GatewayConfig } from '../config/config.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import { warmOperations } from '../pipeline/warm-operations.ts';
import { CurrentConfiguration } from './current-configuration.ts';
import { prepareReplaced } from './replaced-resources.ts';
import { openResources, type GatewayMeans, type GatewayResources } from './resources.ts';
import { crossOriginRules, servedHosts } from '../http/message/cross-origin.ts';
import { openCallbackServer, type CallbackServer } from '../http/routes/callback-server.ts';
import type { ServerDependencies } from './serve-graph.ts';
import { settingsInUse, type SettingsInUse } from '../config/settings-in-use.ts';

/** A gateway that is ready to serve, on a server of its own or on the host's. */
export interface OpenGateway {
  /** What its routes are made of. */
  readonly serving: ServerDependencies;
  /** What is in force now, {@link CurrentConfiguration.reload} and {@link CurrentConfiguration.follow}. */
  readonly configuration: Pick<Readonly<CurrentConfiguration>, 'services' | 'config' | 'reload' | 'follow'>;
  readonly resources: GatewayResources;
  /** Applies no more changes of its configuration. */
  stop(): void;
  /** Closes what it asks and stores with; to be called when no request is being answered. */
  close(): Promise<void>;
}

/**
 * Opens all that a gateway needs but a server. Rejects when it can't serve, and has closed what it had opened.
 *
 * @throws StartupError where words say all about it
 */
export async function openGateway(config: GatewayConfig, means: GatewayMeans): Promise<OpenGateway> {
  const { logger, metrics } = means;
  const state = { inUse: settingsInUse(config) };
  const resources = await openResources(config, state.inUse, means, {
    services: () => configuration.services,
    inUse: () => state.inUse,
  });
  const replaced = await prepareReplaced(resources, config, state.inUse).catch(async (error: unknown) => {
    await resources.close();
    throw error;
  });
  replaced.commit();
  const configuration: CurrentConfiguration = new CurrentConfiguration(config, state, resources, means);
  const callbacks = await openCallbacks(state.inUse, resources).catch(async (error: unknown) => {
    configuration.stop();
    await resources.close();
    throw error;
  });
  await warmSafelist(configuration.services, logger);
  return {
    serving: {
      logger,
      metrics,
      services: () => configuration.services,
      admission: resources.admission,
      unread: resources.unread,
      inFlight: resources.inFlight,
      settings: () => state.inUse,
      crossOrigin: crossOriginRules(() => state.inUse.http.cors, allowsConveniences(config)),
      hosts: servedHosts({
        settings: () => state.inUse,
        resourceUrl: () => configuration.services.protectedResource?.metadataUrl,
        isDevelopment: allowsConveniences(config),
      }),
      issuer: () => state.inUse.issuers[0],
      isDevelopment: allowsConveniences(config),
      isAlone: config.WORKERS === 1,
      contextKeys: publicKeysOf(config.USER_CONTEXT_PRIVATE_KEY),
      follow: (follower) => configuration.follow(follower),
      readiness: {},
      streams: { open: resources.streams, metrics: resources.streamMetrics },
    },
    configuration,
    resources,
    stop: () => configuration.stop(),
    close: async () => {
      configuration.stop();
      await resources.close();
      await callbacks?.close();
    },
  };
}

/** @throws StartupError where the port can't be opened */
async function openCallbacks(
  { subscriptions: { callback } }: SettingsInUse,
  { streams }: GatewayResources,
): Promise<CallbackServer | undefined> {
  if (!callback) return undefined;
  return openCallbackServer(callback.listen, streams.callbacks).catch((error: unknown) => {
    const reason = (error as Error).message; // node:net throws nothing else
    throw new StartupError(`subscriptions.callback.listen: ${reason}`, { cause: error });
  });
}

const WARM_UP_DEADLINE_MS = 20_000;

/** Clients of a safelist send nothing else: its operations are planned before the first of them comes. */
async function warmSafelist(services: PipelineServices, logger: Logger): Promise<void> {
  const { persistedQueries } = services;
  if (persistedQueries.kind !== 'safelist') return;
  const startedAt = performance.now();
  const warmUp = await warmOperations(
    persistedQueries.all.texts(),
    services,
    (operation, err) => logger.warn({ operation, err }, 'safelist operation cannot be planned'),
    WARM_UP_DEADLINE_MS,
  );
  logger.info({ ...warmUp, ms: Math.round(performance.now() - startedAt) }, 'safelist warm-up finished');
}

/** Member by member, so that nothing private can get in. RFC 7518 §6.2.1. */
function publicKeysOf(privateKey: PrivateJsonWebKey | undefined): JSONWebKeySet | undefined {
  if (!privateKey) return undefined;
  const { kty, crv, x, y, kid } = privateKey;
  return { keys: [{ kty, crv, x, y, kid, alg: 'ES256', use: 'sig' }] };
}
