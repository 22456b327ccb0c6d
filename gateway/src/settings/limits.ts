/** Bounds on what one operation may ask for. `Infinity` switches one off. */
export interface OperationLimits {
  /** Lexical tokens of the document. Protects the process: always on. */
  readonly tokens: number;
  /** Selections after expanding every fragment. Protects the process: always on. */
  readonly selections: number;
  /** Levels of selection sets, fragments counted as levels. Protects the process: always on. */
  readonly nesting: number;
  /** Pairs of fields under one response key that validation has to compare. Protects the process: always on. */
  readonly overlaps: number;
  /** Values within the variables, all levels counted together. Protects the process: always on. */
  readonly variables: number;
  /** Fields from root to leaf, both counted. Specification: Limits, maximum query depth. */
  readonly depth: number;
  /** Aliases, counted once per expansion of the fragment they stand in. Specification: Limits, maximum aliases. */
  readonly aliases: number;
  /** Fields at the root, fragments expanded. */
  readonly rootFields: number;
  /** Directives, counted like aliases. */
  readonly directives: number;
  /** Total cost. Specification: Limits, maximum total cost. */
  readonly cost: number;
  /** Requests to subgraphs that the plan of an operation makes. */
  readonly subgraphCalls: number;
}

/** What protects the process, whatever the operator configures. */
export const PROTECTIVE_LIMITS: OperationLimits = Object.freeze({
  tokens: 10_000,
  selections: 5_000,
  nesting: 200,
  overlaps: 20_000,
  variables: 50_000,
  depth: Number.POSITIVE_INFINITY,
  aliases: Number.POSITIVE_INFINITY,
  rootFields: Number.POSITIVE_INFINITY,
  directives: Number.POSITIVE_INFINITY,
  cost: Number.POSITIVE_INFINITY,
  subgraphCalls: Number.POSITIVE_INFINITY,
});

/** The guards that are on in every configuration. Specification: Limits. */
export const DEFAULT_LIMITS: OperationLimits = Object.freeze({
  ...PROTECTIVE_LIMITS,
  depth: 10,
  aliases: 10,
  rootFields: 20,
  directives: 50,
  cost: 10_000,
  subgraphCalls: 200,
});
