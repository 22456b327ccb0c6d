import type { Plan } from '../plan/plan.ts';
import type { ExecutionResult } from '../plan/execution-result.ts';
import { ResponseBody } from '../plan/response-body.ts';
import type { DataObject } from './failure.ts';
import { startRun, type ExecutionContext } from './plan-run.ts';
import { runStep } from './run-step.ts';
import { cachingOf, shapeAnswer } from './shape-answer.ts';
import { withIntrospection } from './with-introspection.ts';

export type { ExecutionContext } from './plan-run.ts';

/**
 * Runs a plan to its end.
 *
 * @throws the signal's reason when it is aborted, and what introspection throws; nothing else: failures are in `errors`
 */
export async function executePlan(plan: Plan, context: ExecutionContext): Promise<ExecutionResult> {
  const run = startRun(plan.supergraph, context, Object.create(null) as DataObject, plan.origins);
  run.calls = plan.subgraphCalls;
  run.passthrough = plan.passthrough;
  if (plan.step) await runStep(plan.step, run);
  const { passedThrough } = run;
  if (passedThrough)
    return ResponseBody.ofBytes(passedThrough.body, {
      objects: passedThrough.objects,
      caching: cachingOf(run),
    });
  const result = shapeAnswer(plan, run);
  return run.introspection ? withIntrospection(result, run) : result;
}
