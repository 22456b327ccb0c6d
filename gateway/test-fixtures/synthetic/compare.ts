import { getVariableValues, getOperationAST, type ExecutionResult as WholeResult } from 'graphql';
import { executePlan } from '../../src/execution/execute-plan.ts';
import type { ExecutionResult } from '../../src/execution/execution-result.ts';
import type { SubgraphClient } from '../../src/execution/subgraph-client.ts';
import type { OperationPlanner } from '../../src/planning/operation-plan.ts';
import type { RandomOperation } from './random-operation.ts';
import type { RunningGraph } from './start-graph.ts';
import { canonical } from './world.ts';

/** What runs an operation as the gateway does. */
export interface Engine {
  readonly planner: OperationPlanner;
  readonly subgraphClient: SubgraphClient;
}

/** The gateway's answer over the graph's servers. */
export async function executeFederated(
  engine: Engine,
  graph: RunningGraph,
  operation: RandomOperation,
): Promise<ExecutionResult> {
  const { document } = operation;
  const { signal } = new AbortController();
  const definitions = getOperationAST(document)?.variableDefinitions ?? [];
  const { coerced, errors } = getVariableValues(graph.supergraph.schema, definitions, operation.variables);
  if (!coerced) throw new Error(errors?.[0]?.message);
  const plan = await engine.planner.planOperation(
    { supergraph: graph.supergraph, document, variables: coerced },
    signal,
  );
  return executePlan(plan, {
    variables: coerced,
    headersFor: () => ({}),
    subgraphClient: engine.subgraphClient,
    signal,
  });
}

/**
 * Compares two answers: data to the letter, keys in their order; errors by path and message, in any order.
 *
 * @returns what differs; nothing when they are equal
 */
export function difference(federated: ExecutionResult, whole: WholeResult): string | undefined {
  const left = JSON.stringify(federated.data);
  const right = JSON.stringify(whole.data ?? null);
  if (left !== right) return `data: ${left}\nexpected: ${right}`;
  const leftErrors = errorsOf(federated.errors);
  const rightErrors = errorsOf(whole.errors);
  return leftErrors === rightErrors ? undefined : `errors: ${leftErrors}\nexpected: ${rightErrors}`;
}

function errorsOf(errors: WholeResult['errors']): string {
  return (errors ?? [])
    .map(({ path, message, extensions }) =>
      canonical({ path, message, code: extensions['code'] ?? 'INTERNAL_SERVER_ERROR' }),
    )
    .toSorted()
    .join('\n');
}
