import { getVariableValues, getOperationAST, type ExecutionResult as WholeResult } from 'graphql';
import { executePlan, type ExecutionContext } from '../../src/execution/execute-plan.ts';
import type { ExecutionResult } from '../../src/execution/execution-result.ts';
import type { SubgraphClient } from '../../src/execution/subgraph-client.ts';
import type { OperationPlan, OperationPlanner } from '../../src/planning/operation-plan.ts';
import { FAULT_CODE } from './field-resolution.ts';
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
  return executePlan(...(await prepareToRun(engine, graph, operation, { incremental: false })));
}

/** Plans an operation, with or without parts. */
export async function prepareToRun(
  engine: Engine,
  graph: RunningGraph,
  operation: RandomOperation,
  { incremental }: { readonly incremental: boolean },
): Promise<[OperationPlan, ExecutionContext]> {
  const { document } = operation;
  const { signal } = new AbortController();
  const definitions = getOperationAST(document)?.variableDefinitions ?? [];
  const { coerced, errors } = getVariableValues(graph.supergraph.schema, definitions, operation.variables);
  if (!coerced) throw new Error(errors?.[0]?.message);
  const plan = await engine.planner.planOperation(
    { supergraph: graph.supergraph, document, variables: coerced, incremental },
    signal,
  );
  const { subgraphClient } = engine;
  return [plan, { variables: coerced, headersFor: () => ({}), subgraphClient, signal }];
}

/**
 * Compares two answers: data to the letter, keys in their order; errors by path and message, in any order.
 *
 * Of errors below a value that became null, an executor reports those that it comes to (GraphQL §6.4.4): there both must
 * report one at least for each such null, and the gateway none but of faults that were made.
 *
 * @returns what differs; nothing when they are equal
 */
export function difference(federated: ExecutionResult, whole: WholeResult): string | undefined {
  const left = JSON.stringify(federated.data);
  const right = JSON.stringify(whole.data ?? null);
  if (left !== right)
    return `data: ${left}\nexpected: ${right}\nerrors: ${textsOf(federated.errors).join('\n')}`;
  const ours = groupErrors(federated.errors, federated.data);
  const theirs = groupErrors(whole.errors, whole.data);
  const places = new Set([...ours.keys(), ...theirs.keys()]);
  for (const place of places) {
    const mine = ours.get(place) ?? [];
    const other = theirs.get(place) ?? [];
    const agree =
      place === EXACT
        ? mine.join('\n') === other.join('\n')
        : mine.length > 0 && other.length > 0 && mine.every((text) => text.includes(FAULT_CODE));
    if (!agree)
      return `errors: ${textsOf(federated.errors).join('\n')}\nexpected: ${textsOf(whole.errors).join('\n')}`;
  }
  return undefined;
}

/** Errors of an answer. */
export type Errors = WholeResult['errors'];

/** The group of errors that are below no null. */
export const EXACT = 'at their own place';

/** Errors by the null that they are below of. */
export function groupErrors(errors: Errors, data: unknown): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const error of errors ?? []) {
    const place = nullAbove(error.path ?? [], data);
    groups.set(place, [...(groups.get(place) ?? []), textOf(error)].toSorted());
  }
  return groups;
}

function nullAbove(path: readonly (string | number)[], data: unknown): string {
  let value = data;
  for (const [index, key] of path.entries()) {
    if (value === null || value === undefined) return JSON.stringify(path.slice(0, index));
    value = (value as Record<string | number, unknown>)[key];
  }
  return EXACT;
}

function textsOf(errors: Errors): string[] {
  return (errors ?? []).map(textOf).toSorted();
}

function textOf({ path, message, extensions }: NonNullable<Errors>[number]): string {
  return canonical({ path, message, code: extensions['code'] ?? 'INTERNAL_SERVER_ERROR' });
}
