import type { PlanNode, QueryPlan, SubscriptionNode } from '@apollo/query-planner';
import {
  PlannerOverstrained,
  PlannerQueueFull,
  PlannerShareSpent,
  PlannerStarved,
} from './threads/planner-rejections.ts';
import { SelectionShape } from '../plan/response-shape.ts';
import type { TypeIndex } from '../supergraph/type-index.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { compileDeferredPlan, compilePlanNode, compileFetch } from './compile-plan.ts';
import { NOTHING_DENIED, type Denied } from '../operation/access/requirement.ts';
import type { WeighedPlan } from './generation-plans.ts';
import {
  Plan,
  type PlanFields,
  type SubscriptionPlan,
  type DeferredPlan,
  type PlanStep,
} from '../plan/plan.ts';
import type { PlanRequest } from './operation-planner.ts';
import { findOrigins } from './find-origins.ts';
import { planStreams } from './plan-streams.ts';
import { enforceLimit } from '../operation/limits/enforce-limits.ts';
import { prepareOperation, type Preparation } from './prepare-operation.ts';
import type { PreparedOperation } from '../plan/prepared-operation.ts';
import { printForPlanning } from './print-operation.ts';

/** Asks the planner. @throws Error when there is no plan */
export type PlanText = (text: string) => Promise<QueryPlan>;

/** What an operation may have, once its fragments are written out. */
type PlanBounds = Pick<Preparation, 'maxSelections' | 'maxDefers'>;

/**
 * Prepares an operation, has it planned, and makes the plan executable.
 *
 * @throws GraphQLError QUERY_TOO_COMPLEX when it exceeds the bounds, and what `planText` throws
 */
export async function makePlan(
  request: PlanRequest,
  { maxSelections, maxDefers }: PlanBounds,
  planText: PlanText,
): Promise<WeighedPlan> {
  const { supergraph, operation, decided, denied = NOTHING_DENIED } = request;
  const selections = operation.selectionsOf(decided);
  enforceLimit('selections', maxSelections, selections);
  const prepared = prepareOperation({
    schema: supergraph.schema,
    operation,
    decided,
    denied,
    hints: supergraph.hints,
    maxSelections,
    maxDefers,
    incremental: request.incremental ?? false,
  });
  const steps = await planSteps(prepared, supergraph.types, planText);
  const streams = planStreams(prepared.streams, steps);
  const plan = new Plan({
    supergraph,
    kind: prepared.kind,
    ...steps,
    streams,
    subgraphRequests: countRequests(steps) + countStreamRequests(streams),
    isDeferred: prepared.defers.size > 0 || streams.size > 0,
    shape: shapeOf(prepared, supergraph, denied),
  });
  return { plan, bytes: weighPlan(plan, selections) };
}

type Steps = Pick<PlanFields, 'step' | 'parts' | 'subscription' | 'origins'>;

const NO_STEPS: Steps = { step: undefined, parts: undefined, subscription: undefined, origins: new Map() };

/**
 * The planner fails on some deferred fragments. Then the operation is planned as if nothing were deferred, and the parts are
 * found out while it runs.
 */
async function planSteps(prepared: PreparedOperation, types: TypeIndex, planText: PlanText): Promise<Steps> {
  if (prepared.defers.size > 0) {
    try {
      return { ...NO_STEPS, parts: compileDeferredPlan(await partsNode(prepared, planText), types) };
    } catch (error) {
      if (isRejection(error)) throw error;
      // what is wrong beside the deferral shows below
    }
  }
  const node = await planNode(prepared, false, planText);
  if (node?.kind === 'Subscription') return { ...NO_STEPS, subscription: compileSubscription(node, types) };
  const step = node && compilePlanNode(node, types);
  // What comes in parts is noted by the objects that it belongs to: these must stay where they are.
  return {
    ...NO_STEPS,
    step,
    ...(prepared.defers.size === 0 && prepared.streams.size === 0 && { origins: findOrigins(step) }),
  };
}

/** What is too much for the planner is not tried in another form. */
function isRejection(error: unknown): boolean {
  return (
    error instanceof PlannerOverstrained ||
    error instanceof PlannerQueueFull ||
    error instanceof PlannerStarved ||
    error instanceof PlannerShareSpent
  );
}

async function partsNode(prepared: PreparedOperation, planText: PlanText): Promise<PlanNode | undefined> {
  const node = await planNode(prepared, true, planText);
  if (node?.kind === 'Subscription') throw new Error('A subscription has no parts.');
  return node;
}

async function planNode(
  prepared: PreparedOperation,
  withDefer: boolean,
  planText: PlanText,
): Promise<QueryPlan['node']> {
  const text = printForPlanning(prepared, withDefer);
  return text === undefined ? undefined : (await planText(text)).node;
}

function shapeOf(
  prepared: PreparedOperation,
  supergraph: Supergraph,
  { types: deniedTypes }: Denied,
): SelectionShape {
  const { schema, types } = supergraph;
  const { interfaceObjects } = supergraph.hints;
  const root = schema.getRootType(prepared.kind);
  if (!root) throw new TypeError(`The schema has no ${prepared.kind} type.`);
  return new SelectionShape(root, prepared.selections, { schema, types, interfaceObjects, deniedTypes });
}

/** Makes the plan of a subscription executable. */
function compileSubscription({ primary, rest }: SubscriptionNode, types: TypeIndex): SubscriptionPlan {
  return {
    primary: compileFetch(primary, types, []),
    operationName: primary.operationName,
    rest: rest && compilePlanNode(rest, types),
  };
}

/** How many requests to subgraphs a plan makes, whether at once, in parts, or for each event of a subscription. */
function countRequests({
  step,
  parts,
  subscription,
}: Pick<PlanFields, 'step' | 'parts' | 'subscription'>): number {
  const ofEvent = subscription ? 1 + requestsOf(subscription.rest) : 0;
  return requestsOf(step) + requestsOfParts(parts) + ofEvent;
}

/** What later items need is asked for once more, at least. */
function countStreamRequests(streams: PlanFields['streams']): number {
  return [...streams.values()].reduce((sum, { subgraphRequests }) => sum + subgraphRequests, 0);
}

function requestsOf(step: PlanStep | undefined): number {
  if (!step) return 0;
  return step.kind === 'fetch' ? 1 : step.steps.reduce((sum, child) => sum + requestsOf(child), 0);
}

function requestsOfParts(parts: DeferredPlan | undefined): number {
  if (!parts) return 0;
  return parts.later.reduce((sum, { plan }) => sum + requestsOfParts(plan), requestsOf(parts.first));
}

/** What a selection takes up in the nodes of its text, prepared, and in the shape of the response. */
const SELECTION_BYTES = 800;
/** What a fetch takes up beside its text, with what is looked up for it once it has run. */
const FETCH_BYTES = 2_000;
/** The writer of the response, and what holds all together. */
const PLAN_BYTES = 3_000;

/**
 * Estimates what a plan takes up, from heap snapshots of plans that have run.
 *
 * @param selections of the operation, written out
 * @returns bytes
 */
function weighPlan(
  { step, parts, subscription }: Pick<PlanFields, 'step' | 'parts' | 'subscription'>,
  selections: number,
): number {
  const ofEvent = subscription ? bytesOf(subscription.primary) + bytesOf(subscription.rest) : 0;
  return PLAN_BYTES + selections * SELECTION_BYTES + bytesOf(step) + bytesOfParts(parts) + ofEvent;
}

function bytesOf(step: PlanStep | undefined): number {
  if (!step) return 0;
  if (step.kind === 'fetch') return FETCH_BYTES + step.bodyStart.length;
  return step.steps.reduce((sum, child) => sum + bytesOf(child), 0);
}

function bytesOfParts(parts: DeferredPlan | undefined): number {
  if (!parts) return 0;
  return parts.later.reduce((sum, { plan }) => sum + bytesOfParts(plan), bytesOf(parts.first));
}
