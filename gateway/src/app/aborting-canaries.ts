import type { Variant } from '@trellis/registry';
import type { FollowedRegistry } from '../registry/followed-registry.ts';
import { recordAbort } from '../registry/record-abort.ts';
import type { TrialVerdict } from '../variants/canary-trial.ts';
import type { TrialExchange, TrialListener, TrialMessage } from '../variants/trial-exchange.ts';
import { VariantRouting } from '../variants/variant-routing.ts';
import type { PreviewTokens } from '../variants/preview-tokens.ts';
import type { LocatedRegistry, SupergraphParts } from './locate-registry.ts';
import type { Ending } from './replaceable.ts';

/** The registry whose canaries they are. */
export interface CanarySource {
  readonly followed: FollowedRegistry;
  readonly located: Pick<LocatedRegistry, 'store' | 'log' | 'trust'>;
  readonly previews: PreviewTokens;
}

/** Variants that are routed to, and canaries that stop themselves. */
export interface AbortingCanaries {
  readonly routing: VariantRouting;
  /** Begins to compare a canary, or no longer does: whether canaries may stop themselves is another now. */
  reconsider(): void;
  /** Records what has stopped. May be called again while it does: the end of the gateway waits for no record. */
  close(why: Ending): Promise<void>;
}

/** Milliseconds for a record of an abort. */
const RECORD_DEADLINE_MS = 30_000;

/**
 * Routes to the variants that a registry names, and stops those canaries that are worse: here at once, at other processes by a
 * message, and in the registry by a record, where there is a key for that, or a server that has one.
 *
 * @param openExchange with the other processes; none where there are no others
 */
export function abortingCanaries(
  source: CanarySource,
  parts: SupergraphParts,
  openExchange: (listener: TrialListener) => TrialExchange | undefined,
): AbortingCanaries {
  const canaries = new Canaries(source, parts);
  canaries.exchange = openExchange((message) => canaries.take(message));
  return canaries;
}

class Canaries implements AbortingCanaries {
  readonly routing: VariantRouting;
  exchange: TrialExchange | undefined;
  readonly #followed: FollowedRegistry;
  readonly #located: CanarySource['located'];
  readonly #parts: SupergraphParts;
  readonly #closing = new AbortController();
  #recording: Promise<void> = Promise.resolve();

  constructor({ followed, located, previews }: CanarySource, parts: SupergraphParts) {
    this.#followed = followed;
    this.#located = located;
    this.#parts = parts;
    this.routing = new VariantRouting({
      previews,
      aborts: () => parts.inUse().registry.aborts,
      operationCacheOf: parts.operationCacheOf,
      onWorse: (variant, verdict) => this.#abort(variant, verdict),
      figures: parts.registryMetrics.canaries,
      onEvents: (variant, events) => this.exchange?.send(messageOf(variant, { events })),
    });
    followed.onServed((served) => this.routing.serve(served));
    this.routing.serve(followed.served);
  }

  /** What another process says. */
  take({ variant, release, events, isStopped }: TrialMessage): void {
    const named = { name: variant, release: { digest: release, bytes: 0 } };
    if (isStopped) this.#stop(named, 'canary stopped by another process');
    else this.routing.active?.trial?.take(named, events);
  }

  reconsider(): void {
    this.routing.serve(this.#followed.served);
  }

  async close(why: Ending): Promise<void> {
    if (why !== 'replaced') this.#closing.abort();
    this.exchange?.close();
    this.routing.close();
    await this.#recording;
  }

  #abort(variant: Variant, verdict: TrialVerdict): void {
    const { name, release } = variant;
    this.#stop(variant, 'canary stopped: it is worse than the main version', verdict);
    this.exchange?.send(messageOf(variant, { isStopped: true }));
    this.#recording = this.#recording.then(() => this.#record({ name, release }));
  }

  #stop(variant: Pick<Variant, 'name' | 'release'>, message: string, verdict?: TrialVerdict): void {
    if (!this.#followed.stopVariant(variant)) return;
    const { logger, registryMetrics } = this.#parts;
    registryMetrics.aborted(variant.name);
    registryMetrics.canaries.stopped(variant, verdict);
    logger.error({ variant: variant.name, release: variant.release.digest, ...verdict }, message);
  }

  async #record(variant: Pick<Variant, 'name' | 'release'>): Promise<void> {
    const { TRELLIS_SIGNING_KEY: signingKey } = this.#parts.config;
    if (this.#closing.signal.aborted) return;
    const { store, log, trust } = this.#located;
    const { logger } = this.#parts;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(RECORD_DEADLINE_MS)]);
    try {
      const recorded = await recordAbort(variant, { store, log, trust, signingKey, signal });
      if (recorded) logger.info({ variant: variant.name, ...recorded }, 'canary abort recorded');
    } catch (err) {
      logger.error(
        { err, variant: variant.name },
        'canary abort cannot be recorded; the registry still names it',
      );
    }
  }
}

function messageOf(
  { name, release }: Pick<Variant, 'name' | 'release'>,
  said: Partial<Pick<TrialMessage, 'events' | 'isStopped'>>,
): TrialMessage {
  return { variant: name, release: release.digest, events: [], isStopped: false, ...said };
}
