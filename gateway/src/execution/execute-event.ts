import type { Plan } from '../plan/plan.ts';
import type { ExecutionResult } from '../plan/execution-result.ts';
import type { DataObject } from './failure.ts';
import { withIntrospection } from './with-introspection.ts';
import type { SubscriptionPlan } from '../plan/plan-steps.ts';
import { placeRoot } from './place-answer.ts';
import { startRun, type ExecutionContext } from './plan-run.ts';
import { readEvent } from './read-response.ts';
import { runStep } from './run-step.ts';
import { shapeAnswer } from './shape-answer.ts';

/**
 * Makes a client's result of an event: completes it with what other subgraphs know, and shapes it. GraphQL §6.2.3.2.
 *
 * @param event what the subgraph sent, as parsed; it becomes part of the result and is not to be used again
 * @throws the signal's reason when it is aborted, and what introspection throws; nothing else: failures are in `errors`
 */
export async function executeEvent(
  plan: Plan,
  { primary, rest }: SubscriptionPlan,
  event: unknown,
  context: ExecutionContext,
): Promise<ExecutionResult> {
  const run = startRun(plan.supergraph, context, Object.create(null) as DataObject, plan.origins);
  run.calls = plan.subgraphCalls;
  run.hasEscapes = true; // its text is not there to be looked at
  placeRoot(primary, run, run.root, readEvent(primary.subgraph, event));
  if (rest) await runStep(rest, run);
  const result = shapeAnswer(plan, run);
  return run.introspection ? withIntrospection(result, run) : result;
}
