import { overloaded } from '../errors.ts';
import { amountsOf, RecentUse, ShareLimit, sharesAround, type ShareKeys } from '@trellis/runtime/admission';
import { FEW_REQUESTS } from './waiting-line.ts';

/** When requests are rejected because there are too many. */
interface AdmissionRules {
  /** Requests that are being answered at a time. */
  readonly maxRequests: number;
  /** Milliseconds that operations may wait for one another, and by which the event loop may lag behind. */
  readonly maxDelayMs: number;
  /** Milliseconds that operations may wait while more requests arrive than are answered. */
  readonly targetDelayMs: number;
  /** The part of the requests, 0 to 1, that one network address may have in flight while there are no others. @default 1 */
  readonly perCaller?: number;
}

/** Why {@link Admission} rejects: all slots are taken, the process is late, the caller is over its share. */
export type RejectionReason = 'requests' | 'delay' | 'share';

/** What {@link OperationQueue.dropWaiting} gives up, and what it spares. */
export interface DropRules {
  /** What has waited for longer, in milliseconds. */
  readonly longerThanMs: number;
  /** Not the last few of a caller that have their turns within so many milliseconds. */
  readonly soonMs: number;
}

/** Operations that wait for one another. */
export interface OperationQueue {
  /** Milliseconds that the one that came first has waited. */
  readonly longestWaitMs: number;
  /** Milliseconds that one more operation would have to wait. */
  readonly expectedWaitMs: number;
  /** Milliseconds that an operation would have to wait of a caller who has none in flight. */
  readonly newcomerWaitMs: number;
  /** Milliseconds from one turn of a caller to the next. */
  readonly turnMs: number;
  /** Gives up what has waited for longer: more requests arrive than are answered, and it only keeps the others waiting. */
  dropWaiting(rules: DropRules, reason: () => Error): void;
}

const NO_QUEUE: OperationQueue = {
  longestWaitMs: 0,
  expectedWaitMs: 0,
  newcomerWaitMs: Number.POSITIVE_INFINITY,
  turnMs: Number.POSITIVE_INFINITY,
  dropWaiting: () => undefined,
};

/** Settings of {@link Admission}. */
interface AdmissionOptions {
  /** Is shown what arrives and is answered. @default one of its own */
  readonly overload?: SustainedOverload;
  /** Where operations wait for one another. @default none waits */
  readonly queue?: OperationQueue;
  /** All places are taken: ends a request whose client does not read its response. @returns whether there was one. @default none */
  readonly makeRoom?: () => boolean;
  /** Milliseconds on a clock that never goes back. @default performance.now */
  readonly now?: () => number;
}

/** Anonymous callers take no more of the slots than this share, rounded up: the others are reserved for authenticated callers. */
const ANONYMOUS_SHARE = 0.9;
const TICK_MS = 20;
/** The part of the longest wait from which callers above a fair share are rejected, if there are others. */
const STRAINED_FROM = 0.25;
/** As many ticks in a row have to be late: one long computation, or a burst, is no overload. */
const LATE_TICKS = 4;

/**
 * Decides at the door whether the process can take another request. It looks at how many are being answered, at how long
 * they wait for one another, and at how late the event loop runs its timers: a process that is busy with what it has answers
 * nothing sooner by beginning more. Many clients who wait for their responses may wait long; when requests come faster than they
 * can be answered for good, waiting helps no request, and the queue has to be short. Authenticated callers are prioritized: anonymous
 * requests, however many, do not keep them out. No caller gets all slots; and while requests wait, callers
 * above a fair share are rejected first.
 */
export class Admission {
  readonly #now: () => number;
  readonly #queue: OperationQueue;
  readonly #makeRoom: () => boolean;
  readonly #overload: SustainedOverload;
  readonly #late = new Float64Array(LATE_TICKS);
  readonly #use: RecentUse;
  readonly #places: ShareLimit;
  #rules: AdmissionRules;
  #inFlight = 0;
  #isLoopLate = false;
  #tick = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(rules: AdmissionRules, options: AdmissionOptions = {}) {
    this.#rules = rules;
    this.#now = options.now ?? performance.now.bind(performance);
    this.#overload = options.overload ?? new SustainedOverload();
    this.#queue = options.queue ?? NO_QUEUE;
    this.#makeRoom = options.makeRoom ?? (() => false);
    this.#use = new RecentUse({ now: this.#now });
    this.#places = new ShareLimit({ ...placesOf(rules), leavesRoom: true });
  }

  /** From now on other rules hold. */
  set rules(rules: AdmissionRules) {
    this.#rules = rules;
    this.#places.resize(placesOf(rules));
  }

  /** Requests that are being answered now. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /**
   * @param isKnown whether it is a caller who comes first; asked only where it matters
   * @param keys whose share it counts in; absent where it counts in no share
   * @returns what speaks against another request; `undefined` when it was counted in, and is to {@link leave}
   */
  enter(isKnown: () => boolean, keys?: ShareKeys): RejectionReason | undefined {
    if (this.#overload.arrived(this.#now(), this.#queue.expectedWaitMs > 0))
      this.#queue.dropWaiting({ longerThanMs: this.#rules.targetDelayMs, soonMs: this.#soonMs }, overloaded);
    const reason = this.#rejection(isKnown, keys);
    if (reason !== undefined) return reason;
    this.#inFlight += 1;
    if (keys) this.#places.acquire(keys);
    this.#timer ??= this.#expect();
    return undefined;
  }

  /**
   * A request that was let in has been answered, or given up.
   *
   * @param keys as it was let in with
   */
  leave(keys?: ShareKeys): void {
    this.#overload.answered(this.#now());
    this.#inFlight -= 1;
    if (keys) this.#places.release(keys);
  }

  /** No timer is left behind. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #rejection(isKnown: () => boolean, keys: ShareKeys | undefined): RejectionReason | undefined {
    const { maxRequests } = this.#rules;
    const places = Math.ceil(maxRequests * ANONYMOUS_SHARE);
    const isFull = this.#inFlight >= maxRequests || (this.#inFlight >= places && !isKnown());
    const reason = this.#inFlight === 0 ? undefined : this.#rejectionInside(isKnown, keys);
    if (!isFull) return reason;
    // No request is ended for one that would be rejected all the same.
    return reason === undefined && this.#makeRoom() ? undefined : 'requests';
  }

  /** What speaks against another request beside those inside, if there is room for it. */
  #rejectionInside(isKnown: () => boolean, keys: ShareKeys | undefined): RejectionReason | undefined {
    if (keys && this.#places.rejectionOf(keys) === 'share') return 'share';
    if (keys && this.#isStrained() && this.#isHeavy(keys)) return 'share';
    if (!this.#isLate(isKnown)) return undefined;
    return keys && this.#isServedSoon(keys) ? undefined : 'delay';
  }

  /** Callers have their turns by shares: who has little in flight waits for that, and not for all that others have. */
  #isServedSoon(keys: ShareKeys): boolean {
    const held = this.#places.heldBy(keys[0]);
    if (held >= FEW_REQUESTS || this.#isLoopLate) return false;
    const { newcomerWaitMs, turnMs } = this.#queue;
    const waitMs = newcomerWaitMs + (held > 0 ? held * turnMs : 0);
    return waitMs <= this.#soonMs;
  }

  /** Milliseconds that a caller who has little may wait for its own turns. */
  get #soonMs(): number {
    const { maxDelayMs, targetDelayMs } = this.#rules;
    return Math.max(targetDelayMs, maxDelayMs * STRAINED_FROM);
  }

  #isStrained(): boolean {
    const { maxDelayMs, targetDelayMs } = this.#rules;
    if (this.#overload.isSustained && this.#queue.expectedWaitMs > targetDelayMs) return true;
    return this.#queue.longestWaitMs > maxDelayMs * STRAINED_FROM || this.#isLoopLate;
  }

  #isHeavy(keys: ShareKeys): boolean {
    this.#use.note(keys);
    return this.#use.isHeavy(keys);
  }

  #isLate(isKnown: () => boolean): boolean {
    const { maxDelayMs, targetDelayMs } = this.#rules;
    const delayMs = this.#overload.isSustained ? this.#queue.expectedWaitMs : 0;
    if (delayMs > targetDelayMs || (delayMs > 0 && !isKnown())) return true; // the queue is for those who are known
    return this.#queue.longestWaitMs > maxDelayMs || this.#isLoopLate;
  }

  #judgeLoop(): void {
    const { maxDelayMs } = this.#rules;
    this.#isLoopLate = this.#late.every((lateMs) => lateMs > maxDelayMs);
  }

  /** Runs only while requests are being answered: an idle process is left to sleep. */
  #expect(): NodeJS.Timeout {
    const expectedAt = this.#now() + TICK_MS;
    return setTimeout(() => {
      this.#tick = (this.#tick + 1) % LATE_TICKS;
      this.#late[this.#tick] = this.#now() - expectedAt;
      this.#timer = this.#inFlight > 0 ? this.#expect() : undefined;
      if (!this.#timer) this.#late.fill(0);
      this.#judgeLoop(); // here, and not with every request
    }, TICK_MS).unref();
  }
}

/** Of requests in flight: of all, of one address, and of the networks around it. */
function placesOf({
  maxRequests,
  perCaller = 1,
}: AdmissionRules): ConstructorParameters<typeof ShareLimit>[0] {
  return { total: maxRequests, perKey: amountsOf(maxRequests, sharesAround(perCaller)) };
}

const WINDOW_MS = 50;
/** So many more arrivals than responses make a window one of excess. */
const EXCESS_SHARE = 1.25;
/** What chance does to a window in which little happens. */
const EXCESS_COUNT = 2;
/** A burst is over in fewer windows. */
const HIGH_FROM = 4;
/** It is low again only after several quiet windows: those who are given up when it becomes high look like responses. */
const LOW_FROM = 1;

/**
 * Detects sustained overload: more arrivals than responses, from many clients that wait their turn. Closed-loop clients,
 * however many they are, make as many arrivals as responses, and a queue that does not grow; open-loop clients
 * make a queue that only rejecting keeps short.
 */
export class SustainedOverload {
  #windowEndsAt = 0;
  #arrivals = 0;
  #responses = 0;
  #isStrained = false;
  #level = 0;
  #isSustained = false;
  #isReported = false;

  /** Whether more have arrived than were answered in most of the windows of 50 ms just past. */
  get isSustained(): boolean {
    return this.#isSustained;
  }

  /**
   * @param now milliseconds on a clock that never goes back
   * @param isStrained whether others wait because the process is busy: where it waits itself, rejecting helps no request
   * @returns whether the overload has become sustained since the one before
   */
  arrived(now: number, isStrained: boolean): boolean {
    this.#roll(now);
    this.#arrivals += 1;
    this.#isStrained ||= isStrained;
    const isNewlySustained = this.#isSustained && !this.#isReported;
    this.#isReported = this.#isSustained;
    return isNewlySustained;
  }

  answered(now: number): void {
    this.#roll(now);
    this.#responses += 1;
  }

  #roll(now: number): void {
    const sinceEndMs = now - this.#windowEndsAt;
    if (sinceEndMs < 0) return;
    const isMore = this.#arrivals > this.#responses * EXCESS_SHARE + EXCESS_COUNT;
    const isExcess = isMore && this.#isStrained;
    // windows in which nothing happened at all are quiet ones
    const quietWindows = Math.floor(sinceEndMs / WINDOW_MS) + (isExcess ? 0 : 1);
    this.#level = Math.max(0, Math.min(HIGH_FROM, this.#level + (isExcess ? 1 : 0)) - quietWindows);
    this.#isSustained = this.#level >= (this.#isSustained ? LOW_FROM + 1 : HIGH_FROM);
    this.#windowEndsAt = now + WINDOW_MS;
    this.#arrivals = 0;
    this.#responses = 0;
    this.#isStrained = false;
  }
}
