import { describeRights, operationCoordinates } from '@trellis/composition';
import type { OfflineGraph } from '@trellis/gateway/offline';

/** What the fields of a document need of callers: `User.email: scope read:profile`, sorted. */
export function rightsOf(graph: OfflineGraph, document: string): readonly string[] {
  const { rights } = graph.meaning;
  return [...operationCoordinates(document, graph.schema)].toSorted().flatMap((coordinate) => {
    const requirement = rights.get(coordinate);
    return requirement ? [`${coordinate}: ${describeRights(requirement)}`] : [];
  });
}
