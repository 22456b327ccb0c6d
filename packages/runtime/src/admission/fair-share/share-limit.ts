/** Bounds of a {@link ShareLimit}. */
export interface ShareLimitOptions {
  /** Of all callers together. */
  readonly total: number;
  /** Of one key, by its level; `amountsOf(total, DEFAULT_SHARES.ofTotal)` is a good one. */
  readonly perKey: LevelAmounts;
  /**
   * Whether a key's bound shrinks as less is free: who may hold three quarters alone may hold three times what is free. Two
   * who ask for all they can get have three sevenths each then, and however many they are, something is left for the next.
   *
   * @default false
   */
  readonly leavesRoom?: boolean | undefined;
}

/** Why nothing more is given: the caller, or a network around it, has its share, or everything is taken. */
export type ShareRejection = 'share' | 'total';

/** What is held under one key. */
interface Holding {
  amount: number;
}

/** So many keys stay that hold nothing, beside half of all that are known. */
const MAX_IDLE = 64;

/**
 * Counts what is held at a time, be it places or bytes: in all, and by each key of its holder. Who holds nothing any more is
 * forgotten with many others at once: a map that lives long allocates in V8's old generation when entries come and go, and
 * each request would bring the next full garbage collection nearer. Who comes several times in a row, with the same keys, is
 * looked up once.
 */
export class ShareLimit {
  #perKey: LevelAmounts;
  #total: number;
  readonly #leavesRoom: boolean;
  readonly #held = new Map<string, Holding>();
  /** Of these, those that hold nothing. */
  #idle = 0;
  #heldInAll = 0;
  /** The last caller, as long as none of its holdings is forgotten. */
  #lastKeys: readonly string[] | undefined;
  #lastHoldings: readonly Holding[] = [];

  constructor({ total, perKey, leavesRoom = false }: ShareLimitOptions) {
    this.#total = total;
    this.#perKey = perKey;
    this.#leavesRoom = leavesRoom;
  }

  /** What may be held in all. */
  get total(): number {
    return this.#total;
  }

  /** From now on other bounds hold; what is held stays so. */
  resize({ total, perKey }: Pick<ShareLimitOptions, 'total' | 'perKey'>): void {
    this.#total = total;
    this.#perKey = perKey;
  }

  /** All that is held now. */
  get held(): number {
    return this.#heldInAll;
  }

  /** What is held now under a key. */
  heldBy(key: string): number {
    return this.#held.get(key)?.amount ?? 0;
  }

  /**
   * What speaks against so much more; nothing is taken.
   *
   * @param keys those of a caller, narrowest first; none where it counts in no one's share. The list must not change any more
   */
  rejectionOf(keys: readonly string[], amount = 1): ShareRejection | undefined {
    const known = keys === this.#lastKeys ? this.#lastHoldings : undefined;
    for (let level = 0; level < keys.length; level += 1) {
      const held = known?.[level]?.amount ?? this.heldBy(keys[level] ?? '');
      if (this.#isOver(held, level, amount)) return 'share';
    }
    return this.#heldInAll + amount > this.#total ? 'total' : undefined;
  }

  /** @returns what speaks against it; nothing when it was taken, and is to be given back by {@link release} */
  tryAcquire(keys: readonly string[], amount = 1): ShareRejection | undefined {
    const rejection = this.rejectionOf(keys, amount);
    if (rejection === undefined) this.acquire(keys, amount);
    return rejection;
  }

  /** Takes it whatever the limits: for what can't be rejected any more. */
  acquire(keys: readonly string[], amount = 1): void {
    this.#add(keys, amount);
  }

  /** Gives back what was taken, or part of it. */
  release(keys: readonly string[], amount = 1): void {
    this.#add(keys, -amount);
  }

  /** Dynamic thresholds, as switches share their buffers (Choudhury and Hahne, 1998). Who holds nothing gets what is left. */
  #isOver(held: number, level: number, amount: number): boolean {
    const most = amountAt(this.#perKey, level);
    if (held + amount > most) return true;
    if (!this.#leavesRoom || held === 0 || most >= this.#total) return false;
    const free = this.#total - this.#heldInAll - amount;
    return (held + amount) * (this.#total - most) > most * free;
  }

  #add(keys: readonly string[], amount: number): void {
    this.#heldInAll += amount;
    for (const holding of this.#holdingsOf(keys)) this.#change(holding, amount);
    if (this.#idle > MAX_IDLE + this.#held.size / 2) this.#forgetIdle();
  }

  #change(holding: Holding, amount: number): void {
    const before = holding.amount;
    holding.amount = Math.max(0, before + amount);
    this.#idle += Number(holding.amount === 0) - Number(before === 0);
  }

  #holdingsOf(keys: readonly string[]): readonly Holding[] {
    if (keys === this.#lastKeys) return this.#lastHoldings;
    const holdings = keys.map((key) => this.#holdingOf(key));
    this.#lastKeys = keys;
    this.#lastHoldings = holdings;
    return holdings;
  }

  #holdingOf(key: string): Holding {
    const known = this.#held.get(key);
    if (known) return known;
    const holding = { amount: 0 };
    this.#held.set(key, holding);
    this.#idle += 1;
    return holding;
  }

  #forgetIdle(): void {
    for (const [key, { amount }] of this.#held) if (amount === 0) this.#held.delete(key);
    this.#idle = 0;
    this.#lastKeys = undefined;
    this.#lastHoldings = [];
  }
}

/**
 * Amounts by the levels of a caller's keys, narrowest first: the caller, the network around, the one around that. The last
 * holds for all wider ones.
 */
export type LevelAmounts = readonly [number, ...number[]];

/** See {@link DEFAULT_SHARES}. */
export interface DefaultShares {
  /** Fractions of a total. */
  readonly ofTotal: LevelAmounts;
  /** Multiples of what one caller may have. */
  readonly ofCaller: LevelAmounts;
  /** Of each caller class against the other, while both wait. */
  readonly weights: { readonly known: number; readonly anonymous: number };
  /** Callers that are remembered at each level. */
  readonly maxKeys: number;
}

/** The shares that hold where nothing else is said. */
export const DEFAULT_SHARES: DefaultShares = Object.freeze({
  // Of what is held at a time. Where no one else asks, one caller gets half: a proxy that hides its clients, or a single
  // batch job, goes on working. A quarter is left over by any one network, whatever it owns.
  ofTotal: [1 / 2, 5 / 8, 3 / 4] as const,
  // Of what is bounded for each caller. A /24 or a /56 holds several who have nothing to do with one another, a /48 is a
  // site; behind each of them are far fewer who ask at the same time than it has addresses.
  ofCaller: [1, 4, 16] as const,
  // Callers who have proved who they are can be held to account and are few; anonymous ones can be as many as someone
  // likes. Those who are known get four fifths, and with less than that they never wait for the others.
  weights: { known: 4, anonymous: 1 },
  // Some 200 bytes each: 2 MB a level. More callers than that within a window are many networks' work.
  maxKeys: 10_000,
});

/**
 * Fractions of a total, as {@link DefaultShares.ofTotal} has them, from that of one caller: of what a caller leaves over, all
 * callers of the network around it leave three quarters, and those of the one around that, half.
 *
 * @param perCaller 0 to 1
 */
export function sharesAround(perCaller: number): LevelAmounts {
  const left = 1 - perCaller;
  return [perCaller, 1 - left * 0.75, 1 - left * 0.5];
}

/** What holds at a level, counted from the narrowest. */
export function amountAt(amounts: LevelAmounts, level: number): number {
  return amounts[level] ?? amounts.at(-1) ?? amounts[0];
}

/** Whole amounts for each level from one amount: fractions of a total, or multiples of what a caller has. At least 1. */
export function amountsOf(amount: number, shares: LevelAmounts): LevelAmounts {
  const [first, ...wider] = shares;
  const wholeOf = (share: number): number => Math.max(1, Math.ceil(amount * share));
  return [wholeOf(first), ...wider.map(wholeOf)];
}
