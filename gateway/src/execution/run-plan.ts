import type { ExecutionResult } from '../plan/execution-result.ts';
import type { FetchStep } from '../plan/fetch-step.ts';
import type { Plan } from '../plan/plan.ts';
import type { PlanStep } from '../plan/plan-steps.ts';
import { ResponseBody } from '../plan/response-body.ts';
import { PlanRun, type ExecutionContext } from './plan-run.ts';
import { readEvent } from './read-response.ts';
import { runFetch } from './run-fetch.ts';
import { cachingOf, shapeResult } from './shape-result.ts';

/** What a subgraph sent for a subscription. */
export interface SubscriptionEvent {
  /** As parsed; it becomes part of the result and is not to be used again. */
  readonly payload: unknown;
}

/**
 * Runs a plan to its end: that of a subscription for one event, which it completes with what other subgraphs know (GraphQL §6.2.3.2).
 *
 * @param event absent for queries and mutations
 * @throws the signal's reason when it is aborted, and what introspection throws; nothing else: failures are in `errors`
 */
export async function runPlan(
  plan: Plan,
  context: ExecutionContext,
  event?: SubscriptionEvent,
): Promise<ExecutionResult> {
  const run = new PlanRun(plan, context);
  run.passthrough = plan.passthrough;
  const step = event ? mergeEvent(plan, event, run) : plan.step;
  if (step) await runStep(step, run);
  const { passedThrough } = run;
  if (passedThrough)
    return ResponseBody.ofBytes(passedThrough.body, {
      objects: passedThrough.objects,
      caching: cachingOf(run),
    });
  const result = shapeResult(run);
  return run.introspection ? withIntrospection(result, run) : result;
}

/** @returns what completes the event */
function mergeEvent(
  { subscription }: Plan,
  { payload }: SubscriptionEvent,
  run: PlanRun,
): PlanStep | undefined {
  if (!subscription) throw new TypeError('The plan is of no subscription.');
  const { primary, rest } = subscription;
  run.hasEscapes = true; // its text is not there to be looked at
  run.data.mergeRoot(
    primary,
    readEvent(primary.subgraph, payload, run.context.disclosureOf?.(primary.subgraph)),
  );
  return rest;
}

/**
 * Runs a step of a plan and everything below it.
 *
 * @throws the signal's reason when the run is aborted
 */
export function runStep(step: PlanStep, run: PlanRun): Promise<unknown> {
  switch (step.kind) {
    case 'fetch':
      return run.fetchDone ? runWatched(step, run) : runFetch(step, run);
    case 'parallel':
      return Promise.all(step.steps.map((child) => runStep(child, run)));
    case 'sequence':
      return runInOrder(step.steps, run);
    default:
      return step satisfies never;
  }
}

async function runWatched(step: FetchStep, run: PlanRun): Promise<void> {
  await runFetch(step, run);
  run.fetchDone?.(step);
}

async function runInOrder(steps: readonly PlanStep[], run: PlanRun): Promise<void> {
  for (const step of steps) {
    if (run.isHalted) return; // the next mutation must not happen
    await runStep(step, run);
  }
}

/** Writes the data of a result with what it asks of the schema. */
async function withIntrospection(result: ExecutionResult, run: PlanRun): Promise<ExecutionResult> {
  if (!run.introspection || result.data === null) return result; // nulls may have taken its places
  const { errors, objects, untold, caching } = result;
  const dataText = await run.introspection.fill(JSON.stringify(result.data), run);
  return {
    errors,
    objects,
    untold,
    caching,
    dataText,
    get data() {
      return JSON.parse(dataText) as ExecutionResult['data']; // it was written from one
    },
  };
}
