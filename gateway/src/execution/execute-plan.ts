import { GraphQLError } from 'graphql';
import type { OperationPlan } from '../planning/operation-plan.ts';
import { completeData } from './complete-data.ts';
import type { ExecutionResult } from './execution-result.ts';
import type { DataObject } from './failure.ts';
import { startRun, type ExecutionContext, type LooseError, type PlanRun } from './plan-run.ts';
import { runStep } from './run-step.ts';

export type { ExecutionContext } from './plan-run.ts';

/**
 * Runs a plan to its end.
 *
 * @throws the signal's reason when it is aborted; nothing else: failures are in `errors`
 */
export async function executePlan(plan: OperationPlan, context: ExecutionContext): Promise<ExecutionResult> {
  const run = startRun(plan.supergraph, context, Object.create(null) as DataObject);
  if (plan.step) await runStep(plan.step, run);
  return shapeAnswer(plan, run);
}

function shapeAnswer(plan: OperationPlan, run: PlanRun): ExecutionResult {
  const { supergraph, facts, shape } = plan;
  const { variables } = run.context;
  const { data, errors } = completeData(shape, run.root, { supergraph, facts, variables });
  const all = [...errors, ...run.looseErrors.map(looseGraphQLError)];
  return all.length > 0 ? { data, errors: all } : { data };
}

/** Without a path: the subgraph did not say which field it means. */
function looseGraphQLError({ reason }: LooseError): GraphQLError {
  return new GraphQLError(reason.message, { extensions: reason.extensions });
}
