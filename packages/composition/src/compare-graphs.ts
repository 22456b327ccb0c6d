import type { Change } from './changes/change.ts';
import { sortChanges } from './changes/change.ts';
import { compareLimits } from './changes/compare-costs.ts';
import { compareMeanings } from './changes/compare-meanings.ts';
import { compareShapes } from './changes/compare-shapes.ts';
import { compareStructures } from './changes/compare-structures.ts';
import { compareTransports } from './changes/compare-subscriptions.ts';
import type { GatewayMeaning, ReadGraph } from './changes/graph-meaning.ts';
import { readGraphStructure } from './changes/graph-structure.ts';

/** A graph, read by a gateway, with the settings of that gateway. */
export interface ComparableGraph extends ReadGraph {
  readonly supergraphSdl: string;
  readonly gateway: GatewayMeaning;
}

/** Everything that changes from one graph to the next: for clients, for operators, and between subgraphs. */
export function compareGraphs(before: ComparableGraph, after: ComparableGraph): readonly Change[] {
  const structures = {
    before: readGraphStructure(before.supergraphSdl),
    after: readGraphStructure(after.supergraphSdl),
  };
  const inBoth = [...structures.after.subgraphs.keys()].filter((name) =>
    structures.before.subgraphs.has(name),
  );
  return sortChanges([
    ...compareShapes(before.apiSchema, after.apiSchema),
    ...compareMeanings(before, after),
    ...compareStructures(structures.before, structures.after),
    ...compareLimits(before.gateway.limits, after.gateway.limits),
    ...compareTransports(before.gateway.transports, after.gateway.transports, inBoth),
  ]);
}
