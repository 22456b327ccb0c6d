import { operationOf } from '../plan/fetch-fields.ts';
import type { DeferredPlan, PlanStep } from '../plan/plan-steps.ts';
import type { Plan } from '../plan/plan.ts';
import type { AdmittedOperation } from './admitted-operation.ts';
import type { PipelineServices } from './services.ts';

/** How an operation came to its response, as far as an operator lets clients see it. */
export interface ResultReport {
  readonly plan: Plan;
  /** Absent where the client gets none. */
  readonly clock: OperationClock | undefined;
  /** Of the response, or of its first part. */
  readonly objects: number;
}

/** Milliseconds of each stage. */
export class OperationClock {
  #lastMs: number = performance.now();
  readonly #stages: Record<string, number> = {};

  /** A stage is over. */
  lap(stage: 'admissionMs' | 'planningMs' | 'executionMs'): void {
    const nowMs = performance.now();
    this.#stages[stage] = Math.round((nowMs - this.#lastMs) * 1_000) / 1_000;
    this.#lastMs = nowMs;
  }

  get stages(): Readonly<Record<string, number>> {
    return this.#stages;
  }
}

/** What the operator lets clients see beside the response; nothing by default. */
export function extensionsOf(
  admitted: AdmittedOperation,
  report: ResultReport | undefined,
  { responsePolicy, limits }: Pick<PipelineServices, 'responsePolicy' | 'limits'>,
): Readonly<Record<string, unknown>> | undefined {
  const { showsAny, shows } = responsePolicy;
  if (!showsAny) return undefined;
  return {
    ...(shows.cost && { cost: costOf(admitted, limits.cost, report?.objects) }),
    ...(shows.plan && report && { plan: describePlan(report.plan) }),
    ...(shows.timings && report?.clock && { timings: report.clock.stages }),
  };
}

/** An unlimited cost has no number in JSON. */
function costOf(
  { cost }: AdmittedOperation,
  limit: number,
  objects: number | undefined,
): Readonly<Record<string, number | null>> {
  return {
    estimate: Math.min(cost, Number.MAX_SAFE_INTEGER),
    limit: Number.isFinite(limit) ? limit : null,
    ...(objects !== undefined && { objects }),
  };
}

type Description = Readonly<Record<string, unknown>>;

function describePlan({ step, parts }: Plan): Description | null {
  if (parts) return describeParts(parts);
  return step ? describeStep(step) : null;
}

function describeParts({ first, later }: DeferredPlan): Description {
  return {
    kind: 'defer',
    first: first ? describeStep(first) : null,
    later: later.map(({ after, plan }) => ({ after, plan: describeParts(plan) })),
  };
}

function describeStep(step: PlanStep): Description {
  if (step.kind !== 'fetch') return { kind: step.kind, steps: step.steps.map(describeStep) };
  const { kind, id, subgraph, path } = step;
  return { kind, ...(id !== undefined && { id }), subgraph, path, operation: operationOf(step) };
}
