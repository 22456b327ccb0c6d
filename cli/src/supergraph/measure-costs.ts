import type { OperationCosts, RecordedOperation } from '@trellis/composition';
import { costOf, type RejectedOperation } from '@trellis/gateway/offline';
import type { ServedGraph } from './served-graph.ts';

/** Measures operations as the gateway does, before and after, with the largest values that were recorded. */
export function measureCosts(
  before: ServedGraph,
  after: ServedGraph,
): (operation: RecordedOperation) => OperationCosts | undefined {
  const maximum = maximumOf(after);
  const maximumBefore = maximumOf(before);
  return (operation) => {
    const [was] = before.graph.read(operation.document, operation.operationName);
    const [is] = after.graph.read(operation.document, operation.operationName);
    if (was?.kind !== 'accepted') return undefined;
    const cost = costOf(was, operation);
    const isExact = operation.slices !== undefined || !operation.document.includes('$');
    if (is?.kind !== 'accepted') return rejected(is, cost, maximum);
    return { before: cost, after: costOf(is, operation), maximum, maximumBefore, isExact };
  };
}

function maximumOf({ comparable }: ServedGraph): number {
  return comparable.gateway.limits['cost'] ?? Number.POSITIVE_INFINITY;
}

/** What the schema no longer allows is a change of shape. */
function rejected(
  operation: RejectedOperation | undefined,
  before: number,
  maximum: number,
): OperationCosts | undefined {
  if (operation?.limit === undefined) return undefined;
  return { before, after: before, maximum, rejectedBy: operation.limit, isExact: true };
}
