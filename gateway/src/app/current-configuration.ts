import type { Logger } from '@trellis/runtime';
import { type GatewayConfig, unknownSubgraphs } from '../config/config.ts';
import { untimelyCertificates } from '../config/connection-problems.ts';
import { readSettings, settingFiles } from '../config/read-settings.ts';
import { settingsThatNeedRestart, settingsInUse, type SettingsInUse } from '../config/settings-in-use.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import type { GatewaySettings } from '../settings/settings.ts';
import { watchFile } from '@trellis/runtime/watch-file';
import { createServices } from './create-services.ts';
import { prepareReplaced, type Replaced } from './replaced-resources.ts';
import { changeResources } from './resource-rules.ts';
import type { GatewayResources } from './resources.ts';

/** Readers of settings get those that are in force now. */
export interface SettingsState {
  inUse: SettingsInUse;
}

/**
 * The services of the configuration that is in force now. Changes of `gateway.yaml` and of the files that it names are
 * applied as a whole or not at all: an invalid file leaves what is in force as it is.
 */
export class CurrentConfiguration {
  readonly #config: GatewayConfig;
  readonly #resources: GatewayResources;
  readonly #logger: Logger;
  /** Those in force now; a reload puts others in their place. */
  services: PipelineServices;
  readonly #state: SettingsState;
  /** Those that hold until the next start, where they need one. */
  readonly #atStart: SettingsInUse;
  readonly #followers: ((inUse: SettingsInUse) => void)[] = [];
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
    this.services = this.#servicesOf(config, state.inUse, replaced);
    this.#watch(config.settings);
  }

  /** @param follower called with the settings after each reload that has changed them: for what is not asked at each use */
  follow(follower: (inUse: SettingsInUse) => void): void {
    this.#followers.push(follower);
  }

  /** Reads the files again, as when one of them changes. Never rejects: an invalid one is logged. */
  reload(): Promise<void> {
    const { CONFIG: file } = this.#config;
    if (file !== undefined) this.#reloadNext(file);
    return this.#reloads;
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

  /** One after the other: each applies as a whole what it has read. */
  #reloadNext(file: string): void {
    this.#reloads = this.#reloads.then(() => (this.#isStopped ? undefined : this.#reload(file)));
  }

  /** Never rejects. */
  async #reload(file: string): Promise<void> {
    try {
      const read = readSettings(file, this.#config.environment);
      this.#watch(read.settings); // before anything is waited for: a change after the reading is one to come
      const config = { ...this.#config, ...read };
      await this.#apply(config, settingsInUse(config));
      this.#logger.info({ file }, 'configuration reloaded');
    } catch (error) {
      this.#logger.error({ err: error, file }, 'invalid configuration; keeping the current one');
    }
  }

  /** @throws where the configuration can't be applied, with everything as it was */
  async #apply(config: GatewayConfig, inUse: SettingsInUse): Promise<void> {
    const replaced = await prepareReplaced(this.#resources, config, inUse);
    try {
      if (this.#isStopped) throw new Error('The gateway is being stopped.');
      this.services = this.#servicesOf(config, inUse, replaced);
    } catch (error) {
      await replaced.discard();
      throw error;
    }
    replaced.commit();
    this.#state.inUse = inUse;
    changeResources(this.#resources, inUse);
    for (const follower of this.#followers) follower(inUse);
    this.#warnOfRestart(inUse);
  }
}
