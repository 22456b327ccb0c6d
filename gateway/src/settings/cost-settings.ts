/** What an operation costs where its schema says nothing. Specification: Limits, maximum total cost. */
export interface CostSettings {
  /** Of a field. */
  readonly fieldCost: number;
  /** Of a field that returns the type, by the type's name. A `@cost` in the schema wins. */
  readonly typeCosts: Readonly<Record<string, number>>;
  /** Arguments whose value, or whose length where they are lists, multiplies the cost of what they slice, wherever `@listSize` names no others. */
  readonly slicingArguments: readonly string[];
  /** Taken for a slicing argument that is absent, null or negative and has no default. */
  readonly omittedSlice: number;
  /** Taken for a list that no argument slices, wherever `@listSize` assumes no other size. */
  readonly listSize: number;
}

/** Default cost 1; `first`, `last` and `limit` multiply, and so do lists of ids. */
export const DEFAULT_COSTS: CostSettings = Object.freeze({
  fieldCost: 1,
  typeCosts: Object.freeze({}),
  slicingArguments: Object.freeze(['first', 'last', 'limit']),
  omittedSlice: 10,
  listSize: 10,
});
