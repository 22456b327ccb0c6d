import type { WindowSide } from '@trellis/composition';
import { planRecorded } from '@trellis/gateway/offline';
import type { ServedGraph } from './served-graph.ts';

/** A side of a change, planned by the gateway's own planner. */
export function windowSide(
  { comparable, graph }: ServedGraph,
  subgraphs: ReadonlyMap<string, string>,
): WindowSide {
  return {
    supergraph: comparable.supergraph,
    apiSchema: comparable.apiSchema,
    subgraphs,
    plan: (operation) => planRecorded(graph, operation),
  };
}
