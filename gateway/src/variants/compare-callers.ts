/** Which side of a canary a caller is on. */
export type Side = 'main' | 'canary';

/** What is compared, in callers. */
export interface ComparedCallers {
  readonly main: number;
  readonly canary: number;
}

/** What a comparison says, for logs and records. */
export interface Verdict extends ComparedCallers {
  /** Natural logarithm of the evidence: an excess as large comes by chance with a probability of e^-evidence at most. */
  readonly evidence: number;
  readonly windowS: number;
}

/**
 * From here on a canary is worse: by chance, with a probability of 1 in 270,000 at most at each look. Simulated, that is no abort
 * in 300 hours without a difference.
 */
export const SUFFICIENT_EVIDENCE = 13;
/** Fewer callers of the canary decide nothing. */
export const MIN_CALLERS = 5;

/**
 * How surprising it is that so many of the callers with a failure are on the canary's side, where chance has put each caller there
 * with the probability `share`. Chernoff's bound on the binomial tail, one-sided: it holds for every number of callers, where the
 * normal approximation of Cochran, Mantel and Haenszel is too sure of few.
 *
 * @param share of the callers that are on the canary's side, 0 to 1
 * @returns the natural logarithm of the evidence; 0 where the canary has no more than its share
 */
export function evidenceOf({ main, canary }: ComparedCallers, share: number): number {
  const all = main + canary;
  const part = canary / all;
  if (canary === 0 || part <= share) return 0;
  const ofCanary = canary * Math.log(part / share);
  return main === 0 ? ofCanary : ofCanary + main * Math.log((1 - part) / (1 - share));
}

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

  /** @param caller hash of who has met it */
  add(side: Side, caller: number, second: number): void {
    if (this.#seen.has(caller) || this.#seen.size >= MAX_CALLERS) return;
    this.#seen.set(caller, { second, side });
    this.#change(side, 1);
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

/** Seconds. The short window sees at once what is bad; the long one sees what is a little worse. */
const WINDOWS_S = [60, 600];

/** Compares the callers that meet one kind of failure on the two sides of a canary. */
export class CallerComparison {
  readonly #share: number;
  readonly #windows = WINDOWS_S.map((windowS) => new CallersInWindow(windowS));

  /** @param share of the callers that are on the canary's side, 0 to 1 */
  constructor(share: number) {
    this.#share = share;
  }

  /** A caller has met it. Seconds do not fall. */
  add(side: Side, caller: number, second: number): void {
    for (const window of this.#windows) window.add(side, caller, second);
  }

  /** @returns nothing as long as the canary is not worse */
  worseAt(second: number): Verdict | undefined {
    for (const window of this.#windows) {
      const callers = window.at(second);
      const evidence = evidenceOf(callers, this.#share);
      if (callers.canary >= MIN_CALLERS && evidence >= SUFFICIENT_EVIDENCE)
        return { ...callers, evidence, windowS: window.windowS };
    }
    return undefined;
  }
}
