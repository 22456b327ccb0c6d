import type { OperationCosts, RecordedOperation } from '@trellis/composition';
import type { AcceptedOperation, RejectedOperation } from '@trellis/gateway/offline';
import type { ServedGraph } from './served-graph.ts';

/** Above this, a recorded operation is not measured with every decision of its conditions. */
const MAX_CONDITIONS = 3;

/** Measures operations as the gateway does, before and after, with the largest values that were recorded. */
export function measureCosts(
  before: ServedGraph,
  after: ServedGraph,
): (operation: RecordedOperation) => OperationCosts | undefined {
  const maximum = after.comparable.gateway.limits['cost'] ?? Number.POSITIVE_INFINITY;
  return (operation) => {
    const [was] = before.graph.read(operation.document, operation.operationName);
    const [is] = after.graph.read(operation.document, operation.operationName);
    if (was?.kind !== 'accepted') return undefined;
    const cost = costOf(was, operation);
    const isExact = operation.slices !== undefined || !operation.document.includes('$');
    if (is?.kind !== 'accepted') return rejected(is, cost, maximum);
    return { before: cost, after: costOf(is, operation), maximum, isExact };
  };
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

/** The most that the operation costs with any values that were recorded. */
export function costOf(accepted: AcceptedOperation, operation: RecordedOperation): number {
  return Math.max(...variablesOf(accepted, operation).map((variables) => accepted.costOf(variables)));
}

/** Values of variables to read an operation with: each decision of its conditions, with each of its slices. */
export function variablesOf(
  { conditionVariables }: AcceptedOperation,
  { conditions, slices = [{}] }: Pick<RecordedOperation, 'conditions' | 'slices'>,
): readonly Readonly<Record<string, unknown>>[] {
  const usual = decisions(conditionVariables);
  const decided = conditions && conditions.length > 0 ? conditions : usual;
  const filled = decided.map((given) => ({ ...usual[0], ...given }));
  const sliced = slices.length === 0 ? [{}] : slices;
  return filled.flatMap((given) => sliced.map((slice) => ({ ...slice, ...given })));
}

function decisions(names: readonly string[]): readonly Readonly<Record<string, boolean>>[] {
  const every = (value: boolean): Record<string, boolean> =>
    Object.fromEntries(names.map((name) => [name, value]));
  if (names.length === 0) return [{}];
  if (names.length > MAX_CONDITIONS) return [every(true), every(false)];
  return names.reduce<Record<string, boolean>[]>(
    (all, name) =>
      all.flatMap((one) => [
        { ...one, [name]: true },
        { ...one, [name]: false },
      ]),
    [{}],
  );
}
