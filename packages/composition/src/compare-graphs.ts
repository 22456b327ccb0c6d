import type { Change } from './changes/change.ts';
import { sortChanges } from './changes/change.ts';
import { compareLimits } from './changes/compare-costs.ts';
import { compareMeanings } from './changes/compare-meanings.ts';
import { compareShapes } from './changes/compare-shapes.ts';
import { compareStructures } from './changes/compare-structures.ts';
import { compareTransports, subscribedSubgraphs } from './changes/compare-subscriptions.ts';
import { compareContracts, type ContractChange } from './contracts/compare-contracts.ts';
import type { GatewayMeaning, ReadGraph } from './changes/graph-meaning.ts';
import type { SupergraphDocument } from './changes/supergraph-document.ts';

/** A graph, read by a gateway, with the settings of that gateway. */
export interface ComparableGraph extends ReadGraph {
  readonly supergraph: SupergraphDocument;
  readonly gateway: GatewayMeaning;
}

/**
 * Everything that changes from one graph to the next: for clients, for operators, between subgraphs, and for the clients of
 * contracts.
 */
export function compareGraphs(
  before: ComparableGraph,
  after: ComparableGraph,
  contracts: readonly ContractChange[] = [],
): readonly Change[] {
  const structures = {
    before: before.supergraph.structure,
    after: after.supergraph.structure,
  };
  const formerly = subscribedSubgraphs(structures.before);
  const subscribed = [...subscribedSubgraphs(structures.after)].filter((name) => formerly.has(name));
  const shapes = compareShapes(before.apiSchema, after.apiSchema);
  return sortChanges([
    ...shapes,
    ...compareContracts(
      { apiSchema: before.apiSchema, tags: structures.before.tags },
      { apiSchema: after.apiSchema, tags: structures.after.tags },
      contracts,
      shapes,
    ),
    ...compareMeanings(before, after),
    ...compareStructures(structures.before, structures.after),
    ...compareLimits(before.gateway.limits, after.gateway.limits),
    ...compareTransports(before.gateway.transports, after.gateway.transports, subscribed),
  ]);
}
