import type { QueryPlan } from '@apollo/query-planner';

/** Makes query plans for one supergraph. */
export interface SupergraphPlanner {
  /**
   * @param operation the text of a document with one operation, without conditions on variables
   * @param overrideLabels labels of progressive overrides that are on
   */
  plan(operation: string, overrideLabels?: readonly string[]): QueryPlan;
}
