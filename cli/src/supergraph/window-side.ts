import type { PlannedOperation, RecordedOperation, WindowSide } from '@trellis/composition';
import { fetchesOf, type AcceptedOperation, type OfflinePlan } from '@trellis/gateway/offline';
import { costOf, variablesOf } from './measure-costs.ts';
import type { ServedGraph } from './served-graph.ts';

/** A side of a change, planned by the gateway's own planner. */
export function windowSide(
  { comparable, graph }: ServedGraph,
  subgraphs: ReadonlyMap<string, string>,
): WindowSide {
  return {
    supergraphSdl: comparable.supergraphSdl,
    apiSchema: comparable.apiSchema,
    subgraphs,
    plan: (operation) => planOperation(graph.read(operation.document, operation.operationName), operation),
  };
}

/** With every choice of progressive overrides, and every decision of its conditions. */
async function planOperation(
  read: ReturnType<ServedGraph['graph']['read']>,
  operation: RecordedOperation,
): Promise<PlannedOperation> {
  const accepted = read.filter((one) => one.kind === 'accepted');
  const [first] = accepted;
  if (!first) return { kind: 'rejected' };
  try {
    const plans = await Promise.all(accepted.flatMap((one) => plansOf(one, operation)));
    return {
      kind: 'planned',
      fetches: plans.flatMap(({ step }) => fetchesOf(step)),
      calls: Math.max(...plans.map(({ calls }) => calls)),
      depth: Math.max(...plans.map(({ depth }) => depth)),
      cost: costOf(first, operation),
    };
  } catch (error) {
    return { kind: 'unplannable', message: error instanceof Error ? error.message : String(error) };
  }
}

function plansOf(
  accepted: AcceptedOperation,
  { conditions }: RecordedOperation,
): readonly Promise<OfflinePlan>[] {
  return variablesOf(accepted, { conditions, slices: undefined }).map((variables) =>
    accepted.plan(variables),
  );
}
