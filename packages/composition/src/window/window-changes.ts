import { changeOf, type Change } from '../changes/change.ts';
import { ownCodes, type Diagnostic } from '../diagnostic.ts';
import type { RecordedOperation } from '../operations/recorded-operation.ts';
import type { ReportedPlan, ReportedWindow } from '../reports/report.ts';
import { isTorn, reasons, type SubgraphOrder } from './order-of-deployment.ts';
import type { PlanDifference, WindowProof } from './prove-window.ts';

/** Of what an operation cost before: more than that is dangerous. */
const MUCH_MORE_COST = 1.2;

/** What the proof of the window found, as changes with codes of their own. */
export function windowChanges({ subgraphs, differences }: WindowProof): readonly Change[] {
  return [...subgraphs.flatMap(changeOfOrder), ...differences.flatMap(changeOfPlan)];
}

function changeOfOrder(order: SubgraphOrder): readonly Change[] {
  const { subgraph, deployFirst, publishFirst, kind } = order;
  if (isTorn(order)) {
    const message = `Plans after fail at ${subgraph} before: ${reasons(deployFirst)}. Plans before fail at ${subgraph} after: ${reasons(publishFirst)}.`;
    return [changeOf('NOT_IN_ONE_STEP', subgraph, message)];
  }
  if (deployFirst.length > 0)
    return [
      changeOf('DEPLOY_FIRST', subgraph, `Plans after fail at ${subgraph} before: ${reasons(deployFirst)}.`),
    ];
  if (publishFirst.length === 0 || kind === 'removed') return [];
  return [
    changeOf('PUBLISH_FIRST', subgraph, `Plans before fail at ${subgraph} after: ${reasons(publishFirst)}.`),
  ];
}

function changeOfPlan({ operation, before, after }: PlanDifference): readonly Change[] {
  if (before.kind !== 'planned') return [];
  const name = operationLabel(operation);
  if (after.kind === 'unplannable')
    return [changeOf('NOT_PLANNABLE', name, `${name} has no plan any more: ${after.message}`)];
  if (after.kind !== 'planned') return [];
  if (after.depth <= before.depth && after.cost < before.cost * MUCH_MORE_COST) return [];
  const message = `${name} takes ${after.depth} requests one after the other and costs ${after.cost}; it took ${before.depth} and cost ${before.cost}.`;
  return [changeOf('PLAN_LONGER', name, message)];
}

/** The plans that differ, for the report. */
export function reportedPlans({ differences }: WindowProof): readonly ReportedPlan[] {
  return differences.flatMap(({ operation, before, after }) =>
    before.kind === 'planned' && after.kind === 'planned'
      ? [
          {
            operation: operationLabel(operation),
            requests: [before.requests, after.requests] as const,
            depth: [before.depth, after.depth] as const,
            cost: [before.cost, after.cost] as const,
          },
        ]
      : [],
  );
}

/** What the proof did not look at, as it would have taken too long: a warning for each kind. */
export function unprovedParts({ probes, probesLeftOut, plansLeftOut }: WindowProof): readonly Diagnostic[] {
  const messages = [
    ...(probesLeftOut > 0
      ? [
          `Of ${probes + probesLeftOut} probes for what no recorded operation uses, ${probes} were planned: the order of deployment says nothing of the others.`,
        ]
      : []),
    ...(plansLeftOut > 0
      ? [
          `Less busy operations whose plans differ too, and were not compared: ${plansLeftOut}. Each has a plan.`,
        ]
      : []),
  ];
  return messages.map((message) => ({ code: ownCodes.NOT_ALL_PROVED, message, locations: [] }));
}

/** The proof, for the report. */
export function reportedWindow(
  { verdict, order, steps, operations, probes, fetches }: WindowProof,
  ownSchemas: boolean,
): ReportedWindow {
  return { verdict, order, steps, operations, probes, fetches, ownSchemas };
}

/** The name of an operation, or the beginning of its id. */
function operationLabel({ operationName, document, id }: RecordedOperation): string {
  return (
    operationName ?? /^\s*(?:query|mutation|subscription)\s+(\w+)/.exec(document)?.[1] ?? id.slice(0, 12)
  );
}
