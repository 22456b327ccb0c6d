import type { DeferredPlan, PlanStep } from '../plan/plan-steps.ts';
import type { PlanFields } from '../plan/plan.ts';

/** How many requests to subgraphs a plan makes, whether at once, in parts, or for each event of a subscription. */
export function countCalls({
  step,
  parts,
  subscription,
}: Pick<PlanFields, 'step' | 'parts' | 'subscription'>): number {
  const ofEvent = subscription ? 1 + callsOf(subscription.rest) : 0;
  return callsOf(step) + callsOfParts(parts) + ofEvent;
}

function callsOf(step: PlanStep | undefined): number {
  if (!step) return 0;
  return step.kind === 'fetch' ? 1 : step.steps.reduce((sum, child) => sum + callsOf(child), 0);
}

function callsOfParts(parts: DeferredPlan | undefined): number {
  if (!parts) return 0;
  return parts.later.reduce((sum, { plan }) => sum + callsOfParts(plan), callsOf(parts.first));
}
