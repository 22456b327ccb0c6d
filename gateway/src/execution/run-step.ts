import type { PlanStep } from './plan-steps.ts';
import type { PlanRun } from './plan-run.ts';
import { runFetch } from './run-fetch.ts';

/**
 * Runs a step of a plan and everything below it.
 *
 * @throws the signal's reason when the run is aborted
 */
export async function runStep(step: PlanStep, run: PlanRun): Promise<void> {
  switch (step.kind) {
    case 'fetch':
      await runFetch(step, run);
      run.fetchDone?.(step);
      return;
    case 'parallel':
      await Promise.all(step.steps.map((child) => runStep(child, run)));
      return;
    case 'sequence':
      for (const child of step.steps) await runStep(child, run);
  }
}
