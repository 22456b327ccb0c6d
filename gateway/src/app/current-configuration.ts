import type { Logger, Resources } from '@trellis/runtime';
import { ConfigError } from '@trellis/runtime/config-error';
import { growingPauseMs } from '@trellis/runtime/growing-pause';
import { Gauge } from 'prom-client';
import { configWith, type GatewayConfig, unknownSubgraphs } from '../config/config.ts';
import { untimelyCertificates } from '../config/connection-problems.ts';
import { readSettings, type ReadSettings } from '../config/read-settings.ts';
import {
  heldUntilRestart,
  settingsInUse,
  settingsThatNeedRestart,
  type SettingsInUse,
} from '../config/settings-in-use.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import { watchFile, type StampedFile } from '@trellis/runtime/watch-file';
import { createServices } from './create-services.ts';
import { currentOf, prepareReplaced } from './replaced-resources.ts';
import { changeResources } from './resource-rules.ts';
import type { GatewayResources } from './resources.ts';

/** Before what failed is tried again: workers do not ask at once. */
const RETRY = { firstMs: 1_000, longestMs: 300_000, jitter: [0.8, 1.2] } as const;

/** Readers of settings get those that are in force now. */
export interface SettingsState {
  inUse: SettingsInUse;
}

/**
 * The services of the configuration that is in force now. Changes of `gateway.yaml` and of the files that it names are
 * applied as a whole or not at all: an invalid file leaves what is in force as it is. Where it is valid, but what it names can't be opened,
 * that is tried again.
 */
export class CurrentConfiguration {
  /** That of the start. */
  readonly #config: GatewayConfig;
  readonly #resources: GatewayResources;
  readonly #logger: Logger;
  readonly #isCurrent: Gauge;
  /** Those in force now; a reload puts others in their place. */
  services: PipelineServices;
  /** What they are made of. */
  config: GatewayConfig;
  readonly #state: SettingsState;
  /** Those that hold until the next start, where they need one. */
  readonly #atStart: SettingsInUse;
  readonly #followers: ((inUse: SettingsInUse) => void)[] = [];
  #stops: readonly (() => void)[] = [];
  #isStopped = false;
  #retry: NodeJS.Timeout | undefined;
  /** How often this file could not be applied. */
  #failures = 0;
  /** Ends when all reloads so far have. */
  #reloads: Promise<void> = Promise.resolve();

  constructor(
    config: GatewayConfig,
    state: SettingsState,
    resources: GatewayResources,
    { logger, metrics }: Resources,
  ) {
    this.#config = config;
    this.config = config;
    this.#resources = resources;
    this.#logger = logger;
    this.#isCurrent = gaugeOfCurrent(metrics);
    this.#state = state;
    this.#atStart = state.inUse;
    this.services = createServices(config, state.inUse, resources, currentOf(resources), logger);
    this.#warn(config);
    this.#watch(config.files ?? []);
  }

  /** @param follower called with the settings after each reload that has changed them: for what is not asked at each use */
  follow(follower: (inUse: SettingsInUse) => void): void {
    this.#followers.push(follower);
  }

  /** Reads the files again, as when one of them changes. Never rejects: an invalid one is logged. */
  reload(): Promise<void> {
    const { CONFIG: file } = this.#config;
    if (file !== undefined) this.#reloadChanged(file);
    return this.#reloads;
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#retry);
    this.#unwatch();
  }

  #unwatch(): void {
    for (const stop of this.#stops) stop();
  }

  #warn(config: GatewayConfig): void {
    this.#warnOfUnknown(config);
    this.#warnOfCertificates(config);
  }

  /** The next start applies them. */
  #warnOfRestart(inUse: SettingsInUse): void {
    const settings = settingsThatNeedRestart(this.#atStart, inUse);
    if (settings.length > 0) this.#logger.warn({ settings }, 'changes of these settings need a restart');
  }

  #warnOfCertificates({ settings }: GatewayConfig): void {
    for (const certificate of untimelyCertificates(settings))
      this.#logger.error(certificate, 'client certificate for subgraphs expired or not yet valid');
  }

  #warnOfUnknown(config: GatewayConfig): void {
    const unknown = unknownSubgraphs(config, this.#resources.supergraphs.current().subgraphs);
    if (unknown.length > 0) this.#logger.warn({ settings: unknown }, 'settings name unknown subgraphs');
  }

  /** From what they were before they were read: no change is missed, however long it takes to apply what was read. */
  #watch(files: readonly StampedFile[]): void {
    const { CONFIG: file } = this.#config;
    this.#unwatch();
    if (file === undefined || this.#isStopped) return;
    this.#stops = files.map((one) => watchFile(one, () => this.#reloadChanged(file)));
  }

  /** @throws ConfigError where they are invalid; then each file that was read may be what is changed next */
  #read(file: string): ReadSettings {
    const files: StampedFile[] = [];
    try {
      return readSettings(file, this.#config.environment, files);
    } finally {
      this.#watch(files);
    }
  }

  #reloadChanged(file: string): void {
    this.#failures = 0;
    this.#reloadNext(file);
  }

  /** What the file names may not respond now. A file that is invalid by itself waits for its next change. */
  #reloadLater(file: string): number {
    const retryMs = Math.round(growingPauseMs(this.#failures, RETRY));
    this.#failures += 1;
    this.#retry = setTimeout(() => this.#reloadNext(file), retryMs).unref();
    return retryMs;
  }

  /** One after the other: each applies as a whole what it has read. */
  #reloadNext(file: string): void {
    this.#reloads = this.#reloads.then(() => (this.#isStopped ? undefined : this.#reload(file)));
  }

  /** Never rejects. */
  async #reload(file: string): Promise<void> {
    clearTimeout(this.#retry);
    try {
      const config = configWith(this.#config, file, this.#read(file));
      await this.#apply(config, settingsInUse(config));
      this.#isCurrent.set(1);
      this.#logger.info({ file }, 'configuration reloaded');
    } catch (error) {
      if (this.#isStopped) return; // what was being opened was given up
      this.#isCurrent.set(0);
      const retryMs = error instanceof ConfigError ? undefined : this.#reloadLater(file);
      this.#logger.error({ err: error, file, retryMs }, 'invalid configuration; keeping the current one');
    }
  }

  /** @throws where the configuration can't be applied, with everything as it was */
  async #apply(config: GatewayConfig, read: SettingsInUse): Promise<void> {
    const inUse = heldUntilRestart(this.#atStart, read);
    const replaced = await prepareReplaced(this.#resources, config, inUse);
    try {
      if (this.#isStopped) throw new Error('The gateway is being stopped.');
      this.services = createServices(config, inUse, this.#resources, replaced, this.#logger);
    } catch (error) {
      await replaced.discard();
      throw error;
    }
    this.config = config;
    this.#state.inUse = inUse; // what begins asks for it
    replaced.commit();
    changeResources(this.#resources, inUse);
    for (const follower of this.#followers) follower(inUse);
    this.#warn(config);
    this.#warnOfRestart(read);
  }
}

/** What a process starts with is in force. */
function gaugeOfCurrent(metrics: Resources['metrics']): Gauge {
  const gauge = new Gauge({
    name: 'trellis_gateway_configuration_current',
    help: '1 while gateway.yaml as it is now is in force; 0 where it is invalid, or what it names cannot be opened.',
    aggregator: 'min',
    registers: [metrics],
  });
  gauge.set(1);
  return gauge;
}
