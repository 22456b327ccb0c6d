import { LRUCache } from 'lru-cache';

const MAX_NAMES = 200;
const MAX_CANDIDATES = 1_000;
/** Used so often, a name is one that a client program has. */
const USES = 10;
/** However much anonymous callers send, a listed operation is used more often. */
const LISTED_USES = 1_000_000_000;
const DEFAULT_MAX_CHARACTERS = 100;
/** Names that are used alike don't take turns: to take a place, one has to be used so many times as often. */
const TIMES_AS_OFTEN = 2;
/** What is used in this time, and in the one before, counts. */
const WINDOW_MS = 5 * 60_000;
/** Places that change hands in a window: each makes series that are stored elsewhere. */
const MAX_REPLACEMENTS = 20;

/** Settings of {@link OperationNames}. */
export interface OperationNamesOptions {
  /** A name is not counted under any more: its series are to be removed. */
  readonly onLeave: (name: string) => void;
  /** Of a name; longer ones count as `other`. @default 100 */
  readonly maxCharacters?: number;
  /** Milliseconds on a clock that never goes back. @default performance.now */
  readonly now?: () => number;
}

/**
 * The names that operations are counted under: 200 at most, each from its tenth use on, so that a flood of names makes no
 * series. The others count as `other`, operations without a name as the empty name. Once there are 200, a name that was used
 * clearly more often in the last 5 to 10 minutes takes the place of the one that was used least: 20 in 5 minutes, so that what
 * is ever made is bounded as well. Operations that the operator has listed come with their first use, and before all others.
 */
export class OperationNames {
  readonly #onLeave: (name: string) => void;
  readonly #now: () => number;
  readonly #maxCharacters: number;
  readonly #names = new Map<string, RecentUses>();
  readonly #candidates = new LRUCache<string, RecentUses>({ max: MAX_CANDIDATES });
  #window = 0;
  #windowEndsAt: number;
  #replacements = 0;
  /** No name is used less often, as far as is known: most candidates need not be compared with all names. */
  #fewestUses = 0;

  constructor({
    onLeave,
    maxCharacters = DEFAULT_MAX_CHARACTERS,
    now = performance.now.bind(performance),
  }: OperationNamesOptions) {
    this.#onLeave = onLeave;
    this.#maxCharacters = maxCharacters;
    this.#now = now;
    this.#windowEndsAt = now() + WINDOW_MS;
  }

  /**
   * The label for one more operation of this name.
   *
   * @param isListed whether the operator has listed the operation
   */
  labelOf(name: string | undefined, isListed = false): string {
    if (name === undefined) return '';
    this.#turnWindow();
    const uses = this.#names.get(name) ?? this.#candidateOf(name);
    if (!uses) return 'other';
    uses.add(isListed ? LISTED_USES : 1, this.#window);
    if (this.#names.has(name) || this.#admits(name, uses)) return name;
    this.#candidates.set(name, uses);
    return 'other';
  }

  #candidateOf(name: string): RecentUses | undefined {
    if (name.length > this.#maxCharacters) return undefined;
    return this.#candidates.get(name) ?? new RecentUses();
  }

  #admits(name: string, candidate: RecentUses): boolean {
    const uses = candidate.in(this.#window);
    if (uses < USES || !this.#hasPlaceFor(uses)) return false;
    this.#candidates.delete(name);
    this.#names.set(name, candidate);
    return true;
  }

  #hasPlaceFor(uses: number): boolean {
    if (this.#names.size < MAX_NAMES) return true;
    if (this.#replacements >= MAX_REPLACEMENTS || !isClearlyMore(uses, this.#fewestUses)) return false;
    const [name, fewest] = this.#leastUsed();
    this.#fewestUses = fewest;
    if (!isClearlyMore(uses, fewest)) return false;
    this.#replacements += 1;
    this.#names.delete(name);
    this.#onLeave(name);
    return true;
  }

  #leastUsed(): readonly [name: string, uses: number] {
    let least = '';
    let fewest = Number.POSITIVE_INFINITY;
    for (const [name, recent] of this.#names) {
      const uses = recent.in(this.#window);
      if (uses >= fewest) continue;
      least = name;
      fewest = uses;
    }
    return [least, fewest];
  }

  #turnWindow(): void {
    const now = this.#now();
    if (now < this.#windowEndsAt) return;
    const passed = 1 + Math.floor((now - this.#windowEndsAt) / WINDOW_MS);
    this.#window += passed;
    this.#windowEndsAt += passed * WINDOW_MS;
    this.#replacements = 0;
    this.#fewestUses = 0;
  }
}

function isClearlyMore(uses: number, others: number): boolean {
  return uses >= TIMES_AS_OFTEN * others + USES;
}

/** How often a name was used in a window and in the one before. */
class RecentUses {
  #window = 0;
  #uses = 0;
  #usesBefore = 0;

  add(uses: number, window: number): void {
    this.#turnTo(window);
    this.#uses += uses;
  }

  in(window: number): number {
    this.#turnTo(window);
    return this.#uses + this.#usesBefore;
  }

  #turnTo(window: number): void {
    if (window === this.#window) return;
    this.#usesBefore = window === this.#window + 1 ? this.#uses : 0;
    this.#uses = 0;
    this.#window = window;
  }
}
