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
