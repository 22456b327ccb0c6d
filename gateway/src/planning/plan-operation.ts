import type { PlanNode } from '@apollo/query-planner';
import { GraphQLError, type FieldNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { SelectionShape } from '../execution/response-shape.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { compileDeferredPlan, compilePlanNode } from './compile-plan.ts';
import { countSelections } from './count-selections.ts';
import type { Denial } from './denial.ts';
import { operationFacts } from './document-facts.ts';
import type { OperationPlan, OperationPlanner, PlanRequest } from './operation-plan.ts';
import { planKey } from './plan-key.ts';
import { enforceLimit } from './planning-limits.ts';
import { prepareOperation } from './prepare-operation.ts';
import type { PreparedOperation } from './prepared-operation.ts';
import { printForPlanning } from './print-operation.ts';
import { schemaHints } from './schema-hints.ts';

/** Settings of {@link createOperationPlanner}. */
export interface PlannerOptions {
  /** How many plans are remembered. @default 2000 */
  readonly maxPlans?: number;
  /** Selections of an operation once its fragments are written out, introspection aside. @default 5000 */
  readonly maxSelections?: number;
  /** Variables of one document that decide `@skip`, `@include` and `@defer`. @default 32 */
  readonly maxConditionVariables?: number;
}

/** A planner with its memory. One serves all generations of a supergraph. */
export function createOperationPlanner(options: PlannerOptions = {}): OperationPlanner {
  const limits = {
    maxSelections: options.maxSelections ?? 5000,
    maxConditionVariables: options.maxConditionVariables ?? 32,
  };
  const plans = new LRUCache<string, OperationPlan>({ max: options.maxPlans ?? 2000 });
  const underway = new Map<string, Promise<OperationPlan>>();

  const planOnce = (key: string, request: PlanRequest): Promise<OperationPlan> => {
    let promise = underway.get(key);
    if (!promise) {
      promise = makePlan(request, limits)
        .then((plan) => {
          plans.set(key, plan);
          return plan;
        })
        .finally(() => underway.delete(key));
      underway.set(key, promise);
    }
    return promise;
  };

  return {
    async planOperation(request, signal) {
      const facts = operationFacts(request.document, request.operationName, request.documentHash);
      enforceLimit('conditionVariables', limits.maxConditionVariables, facts.conditionVariables.length);
      const key = planKey(facts, request);
      const known = plans.get(key);
      if (known) return known;
      return untilAborted(planOnce(key, request), signal);
    },
    close: () => Promise.resolve(),
  };
}

interface Limits {
  readonly maxSelections: number;
  readonly maxConditionVariables: number;
}

const nothingDenied: ReadonlyMap<FieldNode, Denial> = new Map();

async function makePlan(request: PlanRequest, limits: Limits): Promise<OperationPlan> {
  const { supergraph, variables } = request;
  const facts = operationFacts(request.document, request.operationName, request.documentHash);
  const selections = countSelections(facts.operation.selectionSet, facts.fragments, variables);
  enforceLimit('expandedSelections', limits.maxSelections, selections);
  const prepared = prepareOperation({
    schema: supergraph.schema,
    facts,
    variables,
    denied: request.denied ?? nothingDenied,
    hints: schemaHints(supergraph.supergraphSchema),
    maxSelections: limits.maxSelections,
    incremental: request.incremental ?? false,
  });
  const steps = await planSteps(supergraph, prepared);
  return Object.freeze({
    supergraph,
    kind: prepared.kind,
    facts,
    ...steps,
    isDeferred: prepared.defers.size > 0,
    shape: shapeOf(prepared, supergraph),
  });
}

type Steps = Pick<OperationPlan, 'step' | 'parts'>;

/**
 * The planner fails on some deferred fragments. Then the operation is planned as if nothing were deferred, and the parts are
 * found out while it runs.
 */
async function planSteps(supergraph: Supergraph, prepared: PreparedOperation): Promise<Steps> {
  if (prepared.defers.size > 0) {
    try {
      return { step: undefined, parts: compileDeferredPlan(planNode(supergraph, prepared, true)) };
    } catch {
      // what is wrong beside the deferral shows below
    }
  }
  try {
    const node = planNode(supergraph, prepared, false);
    return { step: node && compilePlanNode(node), parts: undefined };
  } catch (cause) {
    throw new GraphQLError('The operation could not be planned.', {
      extensions: { code: 'INTERNAL_SERVER_ERROR' },
      originalError: cause instanceof Error ? cause : new Error(String(cause)),
    });
  }
}

function planNode(
  { planner }: Supergraph,
  prepared: PreparedOperation,
  withDefer: boolean,
): PlanNode | undefined {
  const text = printForPlanning(prepared, withDefer);
  const node = text === undefined ? undefined : planner.plan(text).node;
  if (node?.kind === 'Subscription') throw new Error('A subscription is not executed as a query.');
  return node;
}

function shapeOf(prepared: PreparedOperation, supergraph: Supergraph): SelectionShape {
  const { schema, types } = supergraph;
  const { interfaceObjects } = schemaHints(supergraph.supergraphSchema);
  const root = schema.getRootType(prepared.kind);
  if (!root) throw new TypeError(`The schema has no ${prepared.kind} type.`);
  return new SelectionShape(root, prepared.selections, { schema, types, interfaceObjects });
}

/** Stops waiting when the signal says so; what is waited for goes on. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
