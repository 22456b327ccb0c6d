import { evidenceOf, type ComparedCallers } from './caller-evidence.ts';
import type { EstablishedOperations } from './established-operations.ts';

/** Which side of a canary a caller is on. */
export type Side = 'main' | 'canary';

/** What a comparison says, for logs and records. */
export interface Verdict extends ComparedCallers {
  /** Natural logarithm of the evidence: an excess as large comes by chance with a probability of e^-evidence at most. */
  readonly evidence: number;
  readonly windowS: number;
  /** Whether it is said of one operation, and not of all together. */
  readonly isOfOperation: boolean;
}

/**
 * From here on a canary is worse: by chance, with a probability of 1 in 8.8 million at most at each look.
 */
export const SUFFICIENT_EVIDENCE = 16;
/** Fewer callers of the canary decide nothing. */
const MIN_CALLERS = 5;

/** A look at a canary that has just begun. */
interface EarlyLook {
  readonly afterS: number;
  /** From here on the canary is worse. */
  readonly evidence: number;
}

/**
 * A bad version is mostly bad from its first request, so a canary that begins is looked at twice with less evidence, at all operations
 * together. By chance it stops with a probability of e^-9.3 + e^-7 at most, 1 in 1,000: once in its life, and not each second.
 */
const EARLY_LOOKS: readonly EarlyLook[] = [
  { afterS: 10, evidence: 9.3 },
  { afterS: 15, evidence: 7 },
];

/** Callers that are remembered in a window; further ones are not counted, on either side. */
const MAX_CALLERS = 50_000;

/**
 * Counts callers that met something within a window, each once, whatever they send: one broken account that tries again and again
 * is one caller.
 */
export class CallersInWindow {
  readonly windowS: number;
  /** In the order of their seconds. */
  readonly #seen = new Map<number, { readonly second: number; readonly side: Side }>();
  #main = 0;
  #canary = 0;

  /** @param windowS seconds for which a caller counts */
  constructor(windowS: number) {
    this.windowS = windowS;
  }

  /** Callers that are counted. */
  get size(): number {
    return this.#seen.size;
  }

  /** @param caller hash of who has met it @returns whether it is counted now, and was not before */
  add(side: Side, caller: number, second: number): boolean {
    if (this.#seen.has(caller) || this.#seen.size >= MAX_CALLERS) return false;
    this.#seen.set(caller, { second, side });
    this.#change(side, 1);
    return true;
  }

  /** Callers of the window that ends with this second. */
  at(second: number): ComparedCallers {
    for (const [caller, seen] of this.#seen) {
      if (second - seen.second < this.windowS) break;
      this.#seen.delete(caller);
      this.#change(seen.side, -1);
    }
    return { main: this.#main, canary: this.#canary };
  }

  #change(side: Side, by: 1 | -1): void {
    if (side === 'main') this.#main += by;
    else this.#canary += by;
  }
}

/** Operations that are looked at one by one in a window, and their callers, all together; further ones count among all alone. */
const [MAX_OPERATIONS, MAX_PAIRS] = [500, 50_000];

/**
 * The callers of a window: all together, and by operation. What a version breaks, it mostly breaks in a few operations, where failures
 * that are usual elsewhere do not hide it. Only established ones are judged by themselves.
 */
class OperationsInWindow {
  readonly #window: ComparedWindow;
  readonly #established: EstablishedOperations;
  readonly #all: CallersInWindow;
  readonly #operations = new Map<number, CallersInWindow>();
  /** Those with one caller, the oldest first. */
  readonly #alone = new Set<number>();
  /** Callers of operations. */
  #pairs = 0;

  constructor(window: ComparedWindow, established: EstablishedOperations) {
    this.#window = window;
    this.#established = established;
    this.#all = new CallersInWindow(window.windowS);
  }

  add(side: Side, caller: number, second: number, operation: number): void {
    this.#all.add(side, caller, second);
    if (this.#pairs >= MAX_PAIRS) return;
    const callers = this.#operations.get(operation) ?? this.#begin(operation, second);
    if (!callers?.add(side, caller, second)) return;
    this.#pairs += 1;
    if (callers.size === 1) this.#alone.add(operation);
    else this.#alone.delete(operation);
  }

  #begin(operation: number, second: number): CallersInWindow | undefined {
    if (this.#operations.size >= MAX_OPERATIONS) {
      const replaced = this.#replacedBy(operation, second);
      if (replaced === undefined) return undefined;
      this.#drop(replaced);
    }
    const callers = new CallersInWindow(this.#window.windowS);
    this.#operations.set(operation, callers);
    return callers;
  }

  /** One that can't be judged and has one caller; for an established one, any that can't be judged. */
  #replacedBy(operation: number, second: number): number | undefined {
    const isOther = (one: number): boolean => !this.#established.has(one, second);
    const alone = first(this.#alone, isOther);
    if (alone !== undefined || isOther(operation)) return alone;
    return first(this.#operations.keys(), isOther) ?? first(this.#alone, () => true);
  }

  #drop(operation: number): void {
    this.#pairs -= this.#operations.get(operation)?.size ?? 0;
    this.#operations.delete(operation);
    this.#alone.delete(operation);
  }

  /** What can be said of all operations together. */
  togetherAt(second: number, share: number): Verdict {
    return this.#verdictOf(this.#all.at(second), share, 0, false);
  }

  /** The strongest that can be said of the window that ends with this second. */
  verdictAt(second: number, share: number): Verdict {
    let strongest = this.togetherAt(second, share);
    const operations = this.#operationsAt(second);
    // Among many operations more are found by chance: each has to be as much more surprising. Bonferroni
    const correction = Math.log(Math.max(1, operations.length));
    for (const callers of operations) {
      const verdict = this.#verdictOf(callers, share, correction, true);
      if (isStronger(verdict, strongest)) strongest = verdict;
    }
    return strongest;
  }

  #verdictOf(callers: ComparedCallers, share: number, correction: number, isOfOperation: boolean): Verdict {
    const { windowS, discount } = this.#window;
    const evidence = Math.max(0, evidenceOf(callers, share) - correction - discount);
    return { ...callers, evidence, windowS, isOfOperation };
  }

  #operationsAt(second: number): readonly ComparedCallers[] {
    const present: ComparedCallers[] = [];
    this.#pairs = 0;
    for (const [operation, window] of this.#operations) {
      const callers = window.at(second);
      this.#pairs += window.size;
      if (window.size === 0) this.#drop(operation);
      else if (window.size === 1) this.#alone.add(operation);
      // Fewer decide nothing, wherever chance has placed them: those operations are not among those that are looked at.
      else if (window.size >= MIN_CALLERS && this.#established.has(operation, second)) present.push(callers);
    }
    return present;
  }
}

function first(operations: Iterable<number>, isSought: (operation: number) => boolean): number | undefined {
  for (const operation of operations) if (isSought(operation)) return operation;
  return undefined;
}

/** One that can decide is stronger than one that can't. */
function isStronger(verdict: Verdict, other: Verdict): boolean {
  const decides = verdict.canary >= MIN_CALLERS;
  return decides === other.canary >= MIN_CALLERS ? verdict.evidence > other.evidence : decides;
}

/** What is compared at each second. */
interface ComparedWindow {
  readonly windowS: number;
  /** Evidence that is taken off. */
  readonly discount: number;
}

/**
 * That of a minute sees at once what is bad; the long one sees what is a little worse. A caller counts once in a window: after a moment in
 * which all was slow, or failed, all callers of the main version count until the window has passed, and a canary that goes on to be so for
 * each of its callers has no more than its share. The short window has forgotten that moment after 10 s. By chance it would stop as many
 * canaries as the others do, and more, so it needs evidence 20: once in 485 million looks.
 */
const WINDOWS: readonly ComparedWindow[] = [
  { windowS: 60, discount: 0 },
  { windowS: 600, discount: 0 },
  { windowS: 10, discount: 4 },
];

/** Settings of {@link CallerComparison}. */
export interface ComparisonOptions {
  /** Of the callers that are on the canary's side, 0 to 1. */
  readonly share: number;
  /** What may be judged by itself. */
  readonly established: EstablishedOperations;
  /** Second in which the canary began. Absent: earlier, so that nothing is decided by less evidence. */
  readonly begunAt?: number | undefined;
}

/** Compares the callers that meet one kind of failure on the two sides of a canary. */
export class CallerComparison {
  readonly #share: number;
  readonly #begunAt: number;
  readonly #windows: readonly OperationsInWindow[];
  #looksLeft: readonly EarlyLook[];

  constructor({ share, established, begunAt }: ComparisonOptions) {
    this.#share = share;
    this.#begunAt = begunAt ?? 0;
    this.#looksLeft = begunAt === undefined ? [] : EARLY_LOOKS;
    this.#windows = WINDOWS.map((window) => new OperationsInWindow(window, established));
  }

  /**
   * A caller has met it. Seconds do not fall.
   *
   * @param operation hash of the operation's text that it was met in
   */
  add(side: Side, caller: number, second: number, operation: number): void {
    for (const window of this.#windows) window.add(side, caller, second, operation);
  }

  /** What speaks most against the canary. */
  strongestAt(second: number): Verdict {
    const [first, ...others] = this.#windows.map((window) => window.verdictAt(second, this.#share));
    return others.reduce((best, one) => (isStronger(one, best) ? one : best), first as Verdict); // there are three windows
  }

  /** What is said at this second, and whether it stops the canary. Each second is judged once. */
  judgeAt(second: number): Judgement {
    const verdict = this.strongestAt(second);
    if (isSufficient(verdict)) return { verdict, isWorse: true };
    const early = this.#earlyAt(second);
    return early ? { verdict: early, isWorse: true } : { verdict, isWorse: false };
  }

  #earlyAt(second: number): Verdict | undefined {
    const [look, ...later] = this.#looksLeft;
    if (!look || second - this.#begunAt < look.afterS) return undefined;
    this.#looksLeft = later;
    const together = this.#windows[0]?.togetherAt(second, this.#share);
    return together && isSufficient(together, look.evidence) ? together : undefined;
  }
}

/** What a comparison says at a second. */
export interface Judgement {
  readonly verdict: Verdict;
  /** Whether it stops the canary. */
  readonly isWorse: boolean;
}

/** Whether it stops a canary. */
export function isSufficient(
  { canary, evidence }: Verdict,
  sufficient: number = SUFFICIENT_EVIDENCE,
): boolean {
  return canary >= MIN_CALLERS && evidence >= sufficient;
}
