import type { GraphQLError } from 'graphql';
import { type ExecutionResult, type SubgraphCaching, ResponseBody } from '../plan/response-body.ts';
import type { FetchStep, PlanStep, Plan } from '../plan/plan.ts';
import { PlanRun, type ExecutionContext } from './plan-run.ts';
import { readEvent } from './read-response.ts';
import { runFetch } from './run-fetch.ts';
import type { ResponseWriter } from '../plan/response-writer.ts';
import type { Completed } from './completed.ts';
import { completeData } from './complete-data.ts';
import { MAX_ERRORS } from './findings.ts';
import { reportReason, type FailureReason } from './failure.ts';

/** What a subgraph sent for a subscription. */
interface SubscriptionEvent {
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
    return ResponseBody.ofWhole(passedThrough.body, {
      objects: passedThrough.objects,
      caching: cachingOf(run),
      headers: run.headers,
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
  run.hasEscapes = true; // it has no text to look at
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
  const { errors, objects, unreported, caching, headers } = result;
  const dataText = await run.introspection.fill(JSON.stringify(result.data), run);
  return {
    errors,
    objects,
    unreported,
    caching,
    headers,
    dataText,
    get data() {
      return JSON.parse(dataText) as ExecutionResult['data']; // it was written from one
    },
  };
}

/**
 * Makes the response of what a run merged. Where nothing failed it is checked and written in one go; whatever is not as it
 * must be is found out on the slow path, which decides what the response is.
 */
export function shapeResult(run: PlanRun): ExecutionResult {
  const written = run.data.failed ? undefined : writeRun(run.plan.writerOfRun(), run);
  if (written) return written;
  const completed = completeRun(run);
  const { data, errors, objects } = completed;
  const { shown, hidden } = unexplainedErrors(run, completed);
  const loose = takeLooseErrors(run);
  const caching = cachingOf(run);
  const { headers } = run;
  const found = [...errors, ...loose, ...shown];
  const rest = [...found.slice(MAX_ERRORS), ...hidden];
  if (found.length === 0) return { data, objects, caching, headers };
  if (run.onError === 'HALT') return { ...halted(found, objects, hidden), headers };
  return {
    data,
    errors: found.slice(0, MAX_ERRORS),
    objects,
    caching,
    headers,
    ...(rest.length > 0 && { unreported: rest }),
  };
}

/** The first error and nothing else; the log gets the others (graphql-spec#1163, `HALT`). */
function halted(
  [first, ...others]: readonly GraphQLError[],
  objects: number,
  hidden: readonly GraphQLError[],
): ExecutionResult {
  const unreported = [...others, ...hidden];
  return { data: null, errors: first ? [first] : [], objects, ...(unreported.length > 0 && { unreported }) };
}

interface UnexplainedErrors {
  readonly shown: readonly GraphQLError[];
  readonly hidden: readonly GraphQLError[];
}

/**
 * Errors of subgraphs that explain nothing in the response. The log gets them all. The client gets none where a null has
 * propagated: what became null because of another field has its explanation. Nor does it get those whose value is missing in the
 * data: that value has its one error, or was not asked for, as where a subgraph is sent for what another type has.
 */
function unexplainedErrors(run: PlanRun, { origins, hasPropagated }: Completed): UnexplainedErrors {
  const reasons = run.data.unexplained(origins);
  if (reasons.length === 0) return { shown: [], hidden: [] };
  if (hasPropagated) return { shown: [], hidden: reasons.map((reason) => reportReason(reason)) };
  const inPlace = run.data.originsInPlace();
  const isShown = ({ origin }: FailureReason): boolean => !origin || !inPlace.has(origin);
  const [shown, hidden] = [reasons.filter(isShown), reasons.filter((reason) => !isShown(reason))];
  return {
    shown: shown.map((reason) => reportReason(reason)),
    hidden: hidden.map((reason) => reportReason(reason)),
  };
}

/** Errors of subgraphs that explain nothing in the response, as of a field that another subgraph has sent. */
export function unreportedErrors(
  run: PlanRun,
  { origins }: Pick<Completed, 'origins'>,
): readonly GraphQLError[] {
  return run.data.unexplained(origins).map((reason) => reportReason(reason));
}

/**
 * Makes the response of a run in which nothing failed by a writer.
 *
 * @returns nothing without a writer, or when something is not as it must be
 */
export function writeRun(writer: ResponseWriter | undefined, run: PlanRun): ExecutionResult | undefined {
  const dataText = writer?.write(run.data.root, run.hasEscapes ? quoteAny : quotePlain);
  if (!writer || dataText === undefined) return undefined;
  return ResponseBody.ofWritten(dataText, run.isAscii && !run.hasEscapes, {
    objects: writer.objects(),
    caching: cachingOf(run),
    headers: run.headers,
  });
}

/** What subgraphs said in a run of how long their responses may be stored. */
function cachingOf({ cachePolicy, hasUndated }: PlanRun): SubgraphCaching {
  return { policy: cachePolicy, hasUndated };
}

/** Shapes what a run merged on the slow path. */
export function completeRun(run: PlanRun): Completed {
  return completeData(run.plan.shape, run.data.root, run);
}

/** The errors of subgraphs that concern no field. Each is returned once. @param isOf chooses them by their fetch */
export function takeLooseErrors(
  run: PlanRun,
  isOf: (step: FetchStep) => boolean = ofAny,
): readonly GraphQLError[] {
  return run.data.takeUnplaced(isOf).map((reason) => reportReason(reason));
}

function ofAny(): boolean {
  return true;
}

/** No response of a subgraph had a backslash in it, so no string of theirs needs one. */
function quotePlain(text: string): string {
  return `"${text}"`;
}

function quoteAny(text: string): string {
  return JSON.stringify(text);
}

/** Without a path: the subgraph did not say which field it means. */
