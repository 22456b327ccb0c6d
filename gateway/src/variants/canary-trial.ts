import { isGatewayErrorCode, gatewayErrorCodes } from '../errors.ts';
import { ANONYMOUS } from '../identity/caller.ts';
import { sha256 } from '../operation/document/sha256.ts';
import type { OperationCache } from '../operation/operation-cache.ts';
import type { OperationResult, PipelineResult } from '../pipeline/operation-result.ts';
import type { GenerationTrial, RoutedRun } from '../pipeline/services.ts';
import type { ServedVariant } from '../registry/served-generations.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { CallerComparison, type Side, type Verdict } from './compare-callers.ts';
import { EstablishedOperations } from './established-operations.ts';
import { OperationLatencies } from './operation-latencies.ts';
import { placeOf, type StickyCallers } from './sticky-caller.ts';

/** What callers can meet: a failure of the server, or a response slower than nearly all of the main generation. */
export type TrialEventKind = 'failed' | 'slow';

/** A caller has met something, as processes report it to one another. The operation is a hash of its text. */
export type TrialEvent = readonly [kind: TrialEventKind, side: Side, caller: number, operation: number];

/** Why a canary was stopped. */
export interface TrialVerdict extends Verdict {
  readonly kind: TrialEventKind;
}

/** A response to a caller of one of the two sides. */
export interface ObservedResponse {
  /** A client's mistake is `rejected`. */
  readonly outcome: 'ok' | 'failed' | 'rejected';
  /** Absent where nothing was executed. */
  readonly executedMs: number | undefined;
  readonly caller: number;
}

/** What operators see of a canary. */
export interface TrialFigures {
  /** A comparison begins: what was counted before is of another one. */
  began(variant: string, share: number): void;
  /** Nothing is compared any more. */
  ended(): void;
  responded(side: Side, response: ObservedResponse): void;
  /** @param evidence see {@link Verdict} */
  judged(kind: TrialEventKind, evidence: number): void;
  /** @param verdict absent where another process has decided */
  stopped(variant: Pick<ServedVariant, 'name' | 'release'>, verdict: TrialVerdict | undefined): void;
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
  /** Whether the canary begins now: this process has served without it. */
  readonly isNew: boolean;
  readonly operationCacheOf: (supergraph: Supergraph) => OperationCache;
  /** Called once: the canary is worse. */
  readonly onWorse: (variant: ServedVariant, verdict: TrialVerdict) => void;
  /** Called each second with what callers of this process have met, for other processes. */
  readonly onEvents: (variant: ServedVariant, events: readonly TrialEvent[]) => void;
  readonly figures: TrialFigures;
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
  readonly #established = new EstablishedOperations();
  #timer: NodeJS.Timeout | undefined;
  #events: TrialEvent[] = [];
  #isEnded = false;

  constructor(options: TrialOptions) {
    this.#options = options;
    const compared = { share: options.share, established: this.#established };
    this.#comparisons = {
      failed: new CallerComparison({ ...compared, begunAt: options.isNew ? secondNow() : undefined }),
      slow: new CallerComparison(compared), // what has just begun is slower: connections, code that is not compiled yet
    };
  }

  /** Judges each second from now on, if it did not do so yet. */
  begin(): void {
    if (this.#timer || this.#isEnded) return;
    this.#options.figures.began(this.#options.variant.name, this.#options.share);
    this.#timer = setInterval(() => this.#judge(), JUDGE_EVERY_MS).unref();
  }

  /** Whether it compares just this. */
  compares({ main, canary, share, variant }: ComparedGenerations): boolean {
    const { main: ownMain, canary: ownCanary, share: ownShare, variant: ownVariant } = this.#options;
    return main === ownMain && canary === ownCanary && share === ownShare && variant.name === ownVariant.name;
  }

  async observe(run: RoutedRun, responding: Promise<PipelineResult>): Promise<PipelineResult> {
    const response = await responding;
    if (this.#isEnded || response.kind === 'stream') return response;
    const caller = this.#callerOf(run);
    const side = this.#sideOf(run.routed?.supergraph, caller);
    if (side) this.#look(run, response, side, caller);
    return response;
  }

  /** What callers have met at another process, where that compares the same canary. */
  take({ name, release }: Pick<ServedVariant, 'name' | 'release'>, events: readonly TrialEvent[]): void {
    const { variant } = this.#options;
    if (name !== variant.name || release.digest !== variant.release.digest) return;
    const second = secondNow();
    for (const [kind, side, caller, operation] of events) {
      if (side === 'main') this.#established.send(operation, caller, second);
      this.#comparisons[kind].add(side, caller, second, operation);
    }
  }

  end(): void {
    this.#isEnded = true;
    this.#options.figures.ended();
    clearInterval(this.#timer);
  }

  #look(run: RoutedRun, response: OneResponse, side: Side, caller: number): void {
    const { errors } = response.kind === 'parts' ? response.initial : response;
    const { admitted, executingSinceMs: sinceMs } = run;
    const operation = operationOf(run);
    if (run.isListed) this.#established.list(operation);
    else if (side === 'main' && admitted) this.#established.send(operation, caller, secondNow());
    const executedMs = admitted && sinceMs !== undefined ? performance.now() - sinceMs : undefined;
    const isFailure = errors.length > 0 && this.#isFailure(run, errors);
    const outcome = errors.length === 0 ? 'ok' : isFailure ? 'failed' : 'rejected';
    this.#options.figures.responded(side, { outcome, executedMs, caller });
    if (isFailure) this.#add('failed', side, caller, operation);
    else if (outcome === 'ok' && this.#isSlow(run, executedMs)) this.#add('slow', side, caller, operation);
  }

  #add(kind: TrialEventKind, side: Side, caller: number, operation: number): void {
    this.#comparisons[kind].add(side, caller, secondNow(), operation);
    if (this.#events.length < MAX_REPORTED) this.#events.push([kind, side, caller, operation]);
  }

  #judge(): void {
    const { variant, onEvents, onWorse, figures } = this.#options;
    if (this.#events.length > 0) onEvents(variant, this.#events);
    this.#events = [];
    const second = secondNow();
    this.#established.forget(second);
    for (const kind of ['failed', 'slow'] as const) {
      const { verdict, isWorse } = this.#comparisons[kind].judgeAt(second);
      figures.judged(kind, verdict.evidence);
      if (!isWorse) continue;
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

  #isFailure({ admitted, routed }: RoutedRun, errors: OperationResult['errors']): boolean {
    if (admitted) return errors.some(({ extensions }) => isOfTheServer(extensions?.['code']));
    // What the main generation serves and the canary rejects is the canary's failure.
    if (routed?.text === undefined || routed.supergraph !== this.#options.canary) return false;
    return this.#options.operationCacheOf(this.#options.main).known(routed.text) !== undefined;
  }

  /** Only what was executed: caches of the canary are colder. */
  #isSlow({ admitted }: RoutedRun, executedMs: number | undefined): boolean {
    if (!admitted || executedMs === undefined) return false;
    const isOfMain = admitted.supergraph === this.#options.main;
    return this.#latencies.observe(admitted.operation.key, executedMs, isOfMain);
  }
}

type OneResponse = Exclude<PipelineResult, { readonly kind: 'stream' }>;

/** 48 bits of a hash. */
const HASH_CHARACTERS = 12;

/** The same text has the same number at each process, and on both sides: also where one of them rejects it. */
function operationOf({ admitted, routed }: RoutedRun): number {
  const hash = admitted?.operation.documentHash ?? sha256(routed?.text ?? '');
  return Number.parseInt(hash.slice(0, HASH_CHARACTERS), 16);
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
