import type { GatewayConfig } from '../config/config.ts';
import type { SettingsInUse } from '../config/settings-in-use.ts';
import type { ActiveGenerations, GenerationRouting } from '../pipeline/services.ts';
import type { FollowedRegistry } from '../registry/followed-registry.ts';
import { generationsOf } from '../registry/served-generations.ts';
import type { SupergraphStore } from '../supergraph/supergraph-store.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { NO_PREVIEW_TOKENS, type PreviewTokens } from '../variants/preview-tokens.ts';
import { previewTokensOf, registryTo, type RegistryTo, type SupergraphParts } from './locate-registry.ts';
import { openRegistryAt, startError, type OpenRegistry } from './open-registry.ts';
import { Replaceable, type Prepared } from './replaceable.ts';

/**
 * The registry that is followed now, through reloads that name another one. The next one is verified and prepared while the one before
 * serves; then one pointer is swapped, as for a new record.
 */
export class RegistryInForce implements SupergraphStore, GenerationRouting {
  readonly #registries: Replaceable<RegistryTo, OpenRegistry>;
  readonly #changeListeners = new Set<(retired: readonly Supergraph[]) => void>();
  readonly #problemListeners = new Set<() => void>();
  readonly #closing = new AbortController();
  #detach: () => void = () => undefined;
  #previews: PreviewTokens = NO_PREVIEW_TOKENS;
  #pollMs: number | undefined;

  private constructor(parts: SupergraphParts) {
    const previews: PreviewTokens = { admits: (...given) => this.#previews.admits(...given) };
    this.#registries = new Replaceable({
      drainMs: () => 0, // operations hold the generation that they began with
      open: async (to) => {
        const [before, { signal }] = [this.#registries.current, this.#closing];
        const value = await openRegistryAt({ to, previews, before, signal }, parts);
        return { value, close: (why) => (why === 'unused' ? leave(value, parts) : value.close(why)) };
      },
    });
  }

  /** @throws StartupError where there is nothing to serve */
  static async open(parts: SupergraphParts): Promise<RegistryInForce> {
    const registry = new RegistryInForce(parts);
    const first = await registry.prepare(parts.config, parts.inUse());
    first.commit();
    return registry;
  }

  get active(): ActiveGenerations | undefined {
    return this.#now.canaries?.routing.active;
  }

  get verdicts(): FollowedRegistry['verdicts'] {
    return this.#now.followed.verdicts;
  }

  current(): Supergraph {
    return this.#now.followed.current();
  }

  serves(supergraph: Supergraph): boolean {
    return this.#now.followed.serves(supergraph);
  }

  problem(): string | undefined {
    return this.#now.followed.problem();
  }

  onChange(listener: (retired: readonly Supergraph[]) => void): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  onProblem(listener: () => void): () => void {
    this.#problemListeners.add(listener);
    return () => this.#problemListeners.delete(listener);
  }

  /**
   * Opens, verifies and prepares what other settings name. Files of keys are read again.
   *
   * @throws StartupError where that fails: what serves goes on
   */
  async prepare(config: GatewayConfig, inUse: SettingsInUse): Promise<Prepared<undefined>> {
    const { to, previews } = await readFiles(config, inUse);
    const next = await this.#registries.prepare(to);
    return {
      value: undefined,
      commit: () => {
        const before = this.#registries.current;
        this.#previews = previews;
        this.#pollMs ??= inUse.registry.pollMs;
        next.commit();
        if (before !== this.#registries.current) this.#begin(before);
      },
      discard: () => next.discard(),
    };
  }

  /** To be called after each reload, for what the follower is not replaced for. */
  change({ registry: { pollMs } }: SettingsInUse): void {
    this.#now.canaries?.reconsider();
    if (this.#pollMs !== pollMs) this.#now.followed.endPause();
    this.#pollMs = pollMs;
  }

  /** Ends what is being opened, too. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#detach();
    await this.#registries.close();
  }

  get #now(): OpenRegistry {
    const { current } = this.#registries;
    if (!current) throw new Error('The registry is closed.');
    return current;
  }

  #begin(before: OpenRegistry | undefined): void {
    this.#detach();
    const { followed } = this.#now;
    this.#now.begin(before);
    const ends = [
      followed.onChange((retired) => this.#changed(retired)),
      followed.onProblem(() => this.#problemChanged()),
    ];
    this.#detach = () => {
      for (const end of ends) end();
    };
    if (!before) return;
    this.#changed([...generationsOf(before.followed.served)]);
    this.#problemChanged();
  }

  #changed(retired: readonly Supergraph[]): void {
    for (const listener of this.#changeListeners) listener(retired);
  }

  #problemChanged(): void {
    for (const listener of this.#problemListeners) listener();
  }
}

/** @throws StartupError as a start does */
async function readFiles(
  config: GatewayConfig,
  inUse: SettingsInUse,
): Promise<{ readonly to: RegistryTo; readonly previews: PreviewTokens }> {
  try {
    return { to: await registryTo(config, inUse), previews: previewTokensOf(config, inUse) };
  } catch (error) {
    throw startError(error);
  }
}

/** No request has been served by it. */
async function leave(unused: OpenRegistry, { retire }: SupergraphParts): Promise<void> {
  await unused.close('unused');
  for (const generation of generationsOf(unused.followed.served)) retire(generation);
}
