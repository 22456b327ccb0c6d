import type { FetchStep } from '../plan/fetch-step.ts';
import type { PlanStep } from '../plan/plan-steps.ts';
import type { PlanRun } from './plan-run.ts';
import { runFetch } from './run-fetch.ts';

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
  for (const step of steps) await runStep(step, run);
}
