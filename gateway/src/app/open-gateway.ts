import {
  allowsConveniences,
  CannotStart,
  type Logger,
  type PrivateJsonWebKey,
  type Resources,
} from '@trellis/runtime';
import type { JSONWebKeySet } from 'jose';
import { type GatewayConfig, unknownSubgraphs } from '../config/config.ts';
import { createServices } from './create-services.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import { warmOperations } from '../pipeline/warm-operations.ts';
import { untimelyCertificates } from '../config/connection-problems.ts';
import { readSettings, settingFiles } from '../config/read-settings.ts';
import { prepareReplaced, type Replaced } from './replaced-resources.ts';
import { changeResources } from './resource-rules.ts';
import { openResources, type GatewayResources } from './resources.ts';
import { crossOriginRules } from '../http/message/cross-origin.ts';
import { openCallbackServer, type CallbackServer } from '../http/routes/callback-server.ts';
import type { ServerDependencies } from './serve-graph.ts';
import type { GatewaySettings } from '../settings/settings.ts';
import { settingsThatNeedRestart, settingsInUse, type SettingsInUse } from '../config/settings-in-use.ts';
import { watchFile } from '../watch-file.ts';

/** A gateway that is ready to serve, on a server of its own or on the host's. */
export interface OpenGateway {
  /** What its routes are made of. */
  readonly serving: ServerDependencies;
  /** Takes over no more changes of its configuration. */
  stop(): void;
  /** Closes what it asks and stores with; to be called when no request is being answered. */
  close(): Promise<void>;
}

/**
 * Opens all that a gateway needs but a server. Rejects when it can't serve, and has closed what it had opened.
 *
 * @throws CannotStart where words say all about it
 */
export async function openGateway(
  config: GatewayConfig,
  { logger, metrics }: Resources,
): Promise<OpenGateway> {
  const state = { inUse: settingsInUse(config) };
  const resources = await openResources(
    config,
    state.inUse,
    { logger, metrics },
    {
      services: () => configuration.services(),
      inUse: () => state.inUse,
    },
  );
  const replaced = await prepareReplaced(resources, config, state.inUse).catch(async (error: unknown) => {
    await resources.close();
    throw error;
  });
  replaced.commit();
  const configuration: CurrentConfiguration = new CurrentConfiguration(config, state, resources, logger);
  const callbacks = await openCallbacks(state.inUse, resources);
  await warmSafelist(configuration.services(), logger);
  return {
    serving: {
      logger,
      metrics,
      services: () => configuration.services(),
      admission: resources.admission,
      unread: resources.unread,
      unanswered: resources.unanswered,
      settings: () => state.inUse,
      crossOrigin: crossOriginRules(() => state.inUse.http.cors, allowsConveniences(config)),
      issuer: () => state.inUse.issuers[0],
      isAlone: config.WORKERS === 1,
      contextKeys: publicKeysOf(config.USER_CONTEXT_PRIVATE_KEY),
      readiness: {},
      streams: { open: resources.streams, metrics: resources.streamMetrics },
    },
    stop: () => configuration.stop(),
    close: async () => {
      configuration.stop();
      await resources.close();
      await callbacks?.close();
    },
  };
}

/** @throws CannotStart where the port can't be opened */
async function openCallbacks(
  { subscriptions: { callback } }: SettingsInUse,
  { streams }: GatewayResources,
): Promise<CallbackServer | undefined> {
  if (!callback) return undefined;
  return openCallbackServer(callback.listen, streams.callbacks).catch((error: unknown) => {
    const reason = (error as Error).message; // node:net throws nothing else
    throw new CannotStart(`subscriptions.callback.listen: ${reason}`, { cause: error });
  });
}

const WARM_UP_DEADLINE_MS = 20_000;

/** Clients of a safelist send nothing else: its operations are planned before the first of them comes. */
async function warmSafelist(services: PipelineServices, logger: Logger): Promise<void> {
  const { persistedQueries } = services;
  if (persistedQueries.kind !== 'safelist') return;
  const startedAt = performance.now();
  const warmUp = await warmOperations(
    persistedQueries.safelist().texts(),
    services,
    (operation, err) => logger.warn({ operation, err }, 'safelist operation cannot be planned'),
    WARM_UP_DEADLINE_MS,
  );
  logger.info({ ...warmUp, ms: Math.round(performance.now() - startedAt) }, 'safelist warm-up finished');
}

/** Readers of settings get those that are in force now. */
interface SettingsState {
  inUse: SettingsInUse;
}

/**
 * The services of the configuration that is in force now. Changes of `gateway.yaml` and of the files that it names are
 * taken over as a whole or not at all: a file that is not usable leaves what is in force as it is.
 */
class CurrentConfiguration {
  readonly #config: GatewayConfig;
  readonly #resources: GatewayResources;
  readonly #logger: Logger;
  #services: PipelineServices;
  readonly #state: SettingsState;
  /** Those that hold until the next start, where they need one. */
  readonly #atStart: SettingsInUse;
  #stops: readonly (() => void)[] = [];
  #isStopped = false;
  /** Ends when all reloads so far have. */
  #reloads: Promise<void> = Promise.resolve();

  constructor(config: GatewayConfig, state: SettingsState, resources: GatewayResources, logger: Logger) {
    this.#config = config;
    this.#resources = resources;
    this.#logger = logger;
    this.#state = state;
    this.#atStart = state.inUse;
    const { tracing, responseCache } = resources;
    const replaced = { tracing: tracing.current, responseCache: responseCache.current };
    this.#services = this.#servicesOf(config, state.inUse, replaced);
    this.#watch(config.settings);
  }

  services(): PipelineServices {
    return this.#services;
  }

  stop(): void {
    this.#isStopped = true;
    this.#unwatch();
  }

  #unwatch(): void {
    for (const stop of this.#stops) stop();
  }

  #servicesOf(config: GatewayConfig, inUse: SettingsInUse, replaced: Replaced): PipelineServices {
    const services = createServices(config, inUse, this.#resources, replaced, this.#logger);
    this.#warnOfUnknown(config);
    this.#warnOfCertificates(config);
    return services;
  }

  /** The next start applies them. */
  #warnOfRestart(inUse: SettingsInUse): void {
    const settings = settingsThatNeedRestart(this.#atStart, inUse);
    if (settings.length > 0) this.#logger.warn({ settings }, 'changes of these settings need a restart');
  }

  #warnOfCertificates({ settings }: GatewayConfig): void {
    for (const certificate of untimelyCertificates(settings))
      this.#logger.error(certificate, 'client certificate for subgraphs is not valid now');
  }

  #warnOfUnknown(config: GatewayConfig): void {
    const unknown = unknownSubgraphs(config, this.#resources.supergraphs.current().subgraphs);
    if (unknown.length > 0) this.#logger.warn({ settings: unknown }, 'settings name unknown subgraphs');
  }

  #watch(settings: GatewaySettings): void {
    const { CONFIG: file } = this.#config;
    this.#unwatch();
    if (file === undefined || this.#isStopped) return;
    this.#stops = settingFiles(settings, file).map((path) => watchFile(path, () => this.#reloadNext(file)));
  }

  /** One after the other: each takes over as a whole what it has read. */
  #reloadNext(file: string): void {
    this.#reloads = this.#reloads.then(() => (this.#isStopped ? undefined : this.#reload(file)));
  }

  /** Never rejects. */
  async #reload(file: string): Promise<void> {
    try {
      const settings = readSettings(file, this.#config.environment);
      this.#watch(settings); // before anything is waited for: a change after the reading is one to come
      const config = { ...this.#config, settings };
      await this.#takeOver(config, settingsInUse(config));
      this.#logger.info({ file }, 'configuration reloaded');
    } catch (error) {
      this.#logger.error({ err: error, file }, 'invalid configuration; keeping the current one');
    }
  }

  /** @throws where the configuration can't be applied, with everything as it was */
  async #takeOver(config: GatewayConfig, inUse: SettingsInUse): Promise<void> {
    const replaced = await prepareReplaced(this.#resources, config, inUse);
    try {
      if (this.#isStopped) throw new Error('The gateway is being stopped.');
      this.#services = this.#servicesOf(config, inUse, replaced);
    } catch (error) {
      await replaced.discard();
      throw error;
    }
    replaced.commit();
    this.#state.inUse = inUse;
    changeResources(this.#resources, inUse);
    this.#warnOfRestart(inUse);
  }
}

/** Member by member, so that nothing private can get in. RFC 7518 §6.2.1. */
function publicKeysOf(privateKey: PrivateJsonWebKey | undefined): JSONWebKeySet | undefined {
  if (!privateKey) return undefined;
  const { kty, crv, x, y, kid } = privateKey;
  return { keys: [{ kty, crv, x, y, kid, alg: 'ES256', use: 'sig' }] };
}
