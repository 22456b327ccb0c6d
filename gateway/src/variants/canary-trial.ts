import { isGatewayErrorCode, gatewayErrorCodes } from '../errors.ts';
import { ANONYMOUS } from '../identity/caller.ts';
import type { OperationCatalogue } from '../operation/operation-catalogue.ts';
import type { OperationResult, PipelineResult } from '../pipeline/operation-result.ts';
import type { GenerationTrial, RoutedRun } from '../pipeline/services.ts';
import type { ServedVariant } from '../registry/served-generations.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { CallerComparison, type Side, type Verdict } from './compare-callers.ts';
import { OperationLatencies } from './operation-latencies.ts';
import { placeOf, type StickyCallers } from './sticky-caller.ts';

/** What callers can meet: a failure of the server, or a response slower than nearly all of the main generation. */
export type TrialEventKind = 'failed' | 'slow';

/** A caller has met something, as processes report it to one another. */
export type TrialEvent = readonly [kind: TrialEventKind, side: Side, caller: number];

/** Why a canary was stopped. */
export interface TrialVerdict extends Verdict {
  readonly kind: TrialEventKind;
}

/** What is compared. */
export interface ComparedGenerations {
  readonly main: Supergraph;
  readonly canary: Supergraph;
  readonly variant: ServedVariant;
  /** Of the callers on the two sides, those of the canary. */
  readonly share: number;
  readonly callers: StickyCallers;
}

/** Settings of {@link CanaryTrial}. */
export interface TrialOptions extends ComparedGenerations {
  readonly catalogueOf: (supergraph: Supergraph) => OperationCatalogue;
  /** Called once: the canary is worse. */
  readonly onWorse: (variant: ServedVariant, verdict: TrialVerdict) => void;
  /** Called each second with what callers of this process have met, for other processes. */
  readonly onEvents: (variant: ServedVariant, events: readonly TrialEvent[]) => void;
}

const JUDGE_EVERY_MS = 1_000;
/** Of one second; further ones are counted here alone. */
const MAX_REPORTED = 1_000;
/** What does not say that a version is bad: these depend on the load and on the process. */
const OF_THE_PROCESS: ReadonlySet<string> = new Set([
  'OVERLOADED',
  'SHUTTING_DOWN',
  'AUTHENTICATION_UNAVAILABLE',
]);

/**
 * Compares a canary with the main generation while both serve. Chance has placed each caller, so that among those who meet a failure
 * the canary has its share, unless it is worse.
 */
export class CanaryTrial implements GenerationTrial {
  readonly #options: TrialOptions;
  readonly #comparisons: Readonly<Record<TrialEventKind, CallerComparison>>;
  readonly #latencies = new OperationLatencies();
  readonly #timer: NodeJS.Timeout;
  #events: TrialEvent[] = [];
  #isEnded = false;

  constructor(options: TrialOptions) {
    this.#options = options;
    const { share } = options;
    this.#comparisons = { failed: new CallerComparison(share), slow: new CallerComparison(share) };
    this.#timer = setInterval(() => this.#judge(), JUDGE_EVERY_MS).unref();
  }

  /** Whether it compares just this. */
  compares({ main, canary, share, variant }: ComparedGenerations): boolean {
    const { main: ownMain, canary: ownCanary, share: ownShare, variant: ownVariant } = this.#options;
    return main === ownMain && canary === ownCanary && share === ownShare && variant.name === ownVariant.name;
  }

  async observe(run: RoutedRun, responding: Promise<PipelineResult>): Promise<PipelineResult> {
    const response = await responding;
    const kind = this.#isEnded ? undefined : this.#metBy(run, response);
    if (!kind) return response;
    const caller = this.#callerOf(run);
    const side = this.#sideOf(run.routed?.supergraph, caller);
    if (side) this.#add(kind, side, caller);
    return response;
  }

  /** What callers have met at another process, where that compares the same canary. */
  take({ name, release }: Pick<ServedVariant, 'name' | 'release'>, events: readonly TrialEvent[]): void {
    const { variant } = this.#options;
    if (name !== variant.name || release.digest !== variant.release.digest) return;
    const second = secondNow();
    for (const [kind, side, caller] of events) this.#comparisons[kind].add(side, caller, second);
  }

  end(): void {
    this.#isEnded = true;
    clearInterval(this.#timer);
  }

  #add(kind: TrialEventKind, side: Side, caller: number): void {
    this.#comparisons[kind].add(side, caller, secondNow());
    if (this.#events.length < MAX_REPORTED) this.#events.push([kind, side, caller]);
  }

  #judge(): void {
    const { variant, onEvents, onWorse } = this.#options;
    if (this.#events.length > 0) onEvents(variant, this.#events);
    this.#events = [];
    const second = secondNow();
    for (const kind of ['failed', 'slow'] as const) {
      const verdict = this.#comparisons[kind].worseAt(second);
      if (!verdict) continue;
      this.end();
      return onWorse(variant, { ...verdict, kind });
    }
  }

  /** Only where chance has placed the caller there: a preview of the same release has callers who chose it. */
  #sideOf(supergraph: Supergraph | undefined, caller: number): Side | undefined {
    const { canary, main, variant } = this.#options;
    const isPlaced = variant.rule.kind === 'percent' && placeOf(caller) < variant.rule.percent / 100;
    if (supergraph === canary) return isPlaced ? 'canary' : undefined;
    return supergraph === main && !isPlaced ? 'main' : undefined;
  }

  #callerOf({ routed, context }: RoutedRun): number {
    return this.#options.callers.hashOf(routed?.caller ?? ANONYMOUS, context.address);
  }

  #metBy(run: RoutedRun, response: PipelineResult): TrialEventKind | undefined {
    if (response.kind === 'stream') return undefined;
    const { errors } = response.kind === 'parts' ? response.initial : response;
    if (errors.length > 0) return this.#isFailure(run, errors) ? 'failed' : undefined;
    return this.#isSlow(run) ? 'slow' : undefined;
  }

  #isFailure({ admitted, routed }: RoutedRun, errors: OperationResult['errors']): boolean {
    if (admitted) return errors.some(({ extensions }) => isOfTheServer(extensions?.['code']));
    // What the main generation serves and the canary rejects is the canary's failure.
    if (routed?.text === undefined || routed.supergraph !== this.#options.canary) return false;
    return this.#options.catalogueOf(this.#options.main).known(routed.text) !== undefined;
  }

  /** Only what was executed: caches of the canary are colder. */
  #isSlow({ admitted, executingSinceMs }: RoutedRun): boolean {
    if (!admitted || executingSinceMs === undefined) return false;
    const durationMs = performance.now() - executingSinceMs;
    const { key } = admitted.operation;
    const isSlow = this.#latencies.isSlow(key, durationMs);
    if (admitted.supergraph === this.#options.main) this.#latencies.add(key, durationMs);
    return isSlow;
  }
}

/** Codes that the gateway does not know are a subgraph's own. */
function isOfTheServer(code: unknown): boolean {
  if (typeof code !== 'string') return true;
  if (!isGatewayErrorCode(code)) return true;
  return gatewayErrorCodes[code].status >= 500 && !OF_THE_PROCESS.has(code);
}

function secondNow(): number {
  return Math.floor(performance.now() / 1_000);
}
