import { parentPort } from 'node:worker_threads';
import type { QueryPlan } from '@apollo/query-planner';
import { createSupergraphPlanner, type SupergraphPlanner } from '../supergraph/supergraph-planner.ts';
import type { PlannerReply, PlannerTask } from './messages.ts';

// The program of the thread that plans. It keeps a planner for each generation of the supergraph that it was given, and
// ends when it is terminated: in the midst of a plan that takes too long.
const planners = new Map<string, SupergraphPlanner>();

parentPort?.on('message', (task: PlannerTask) => reply(answer(task)));
reply({ kind: 'ready' });

function answer(task: PlannerTask): PlannerReply {
  try {
    return { kind: 'done', plan: perform(task) };
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

function perform(task: PlannerTask): QueryPlan | undefined {
  switch (task.kind) {
    case 'load':
      planners.set(task.hash, createSupergraphPlanner(task.sdl));
      return undefined;
    case 'unload':
      planners.delete(task.hash);
      return undefined;
    case 'plan':
      return plannerOf(task.hash).plan(task.operation, task.overrideLabels);
    default:
      return task satisfies never;
  }
}

function plannerOf(hash: string): SupergraphPlanner {
  const planner = planners.get(hash);
  if (!planner) throw new Error(`The supergraph ${hash} was not loaded.`);
  return planner;
}

function reply(message: PlannerReply): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is about windows of a browser
  parentPort?.postMessage(message);
}
