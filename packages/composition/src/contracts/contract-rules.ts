/** A filter of the graph for other clients, by tags. */
export interface ContractRules {
  readonly name: string;
  /** Only what has one of these tags is shown. Empty: everything. */
  readonly include: readonly string[];
  /** What has one of these tags is hidden. */
  readonly exclude: readonly string[];
}
