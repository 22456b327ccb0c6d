import type { PlanFields } from '../plan/plan.ts';
import type { DeferredPlan, PlanStep } from '../plan/plan-steps.ts';

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
export function weighPlan(
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
