import { parentPort, workerData } from 'node:worker_threads';
import { LoadedPlanners } from './loaded-planners.ts';
import type { SupergraphPlanner } from './supergraph-planner.ts';
import { stepBack, thisThread } from './thread-time.ts';
import { WorkMeter } from './work-meter.ts';
import { writeIntrospection } from './write-introspection.ts';
import type { JobInputs, JobKind, JobResults, JobTask, PlannerReply, PlannerTask } from './messages.ts';

// The program of a query planner worker. It ends when it is terminated: in the midst of a plan that takes too long.
const planners = new LoadedPlanners();

/** What is done for each kind of job. */
const jobs: {
  readonly [Kind in JobKind]: (planner: SupergraphPlanner, input: JobInputs[Kind]) => JobResults[Kind];
} = {
  plan: (planner, { operation, overrideLabels }) => JSON.stringify(planner.plan(operation, overrideLabels)),
  introspect: (planner, input) => writeIntrospection(planner.clientSchema(), input),
};

stepBack(Number(workerData));
const { id: systemThread, clock } = thisThread();
const meter = new WorkMeter(clock);
parentPort?.on('message', (task: PlannerTask) => reply(response(task)));
reply({ kind: 'ready', systemThread, clockMs: meter.clockMs });

function response(task: PlannerTask): PlannerReply {
  meter.begin();
  try {
    const result = perform(task);
    const durationMs = meter.end();
    return { kind: 'done', result, durationMs, clockMs: meter.clockMs };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const durationMs = meter.end();
    return { kind: 'failed', message, durationMs, clockMs: meter.clockMs };
  }
}

function perform(task: PlannerTask): unknown {
  switch (task.kind) {
    case 'load':
      planners.load(task.hash, task.sdl);
      return undefined;
    case 'unload':
      planners.unload(task.hash);
      return undefined;
    case 'job':
      return performJob(task);
    default:
      return task satisfies never;
  }
}

function performJob<Kind extends JobKind>({ job, hash, input }: JobTask<Kind>): JobResults[Kind] {
  return jobs[job](planners.of(hash), input);
}

function reply(message: PlannerReply): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is about windows of a browser
  parentPort?.postMessage(message);
}
