import { GraphQLError } from 'graphql';
import type { Plan } from '../plan/plan.ts';
import type { ResponseWriter } from '../plan/response-writer.ts';
import { ResponseBody } from '../plan/response-body.ts';
import { completeData, MAX_ERRORS, type Completed } from './complete-data.ts';
import type { ExecutionResult, SubgraphCaching } from '../plan/execution-result.ts';
import type { FailureReason } from './failure.ts';
import type { PlanRun } from './plan-run.ts';
import type { FetchStep } from '../plan/fetch-step.ts';

/**
 * Makes the answer of what a run merged. Where nothing failed it is checked and written in one go; whatever is not as it
 * must be is found out by the careful way, which decides what the answer is.
 */
export function shapeAnswer(plan: Plan, run: PlanRun): ExecutionResult {
  const written = hasWorries(run) ? undefined : writeAnswer(plan.writerOfRun(), run);
  if (written) return written;
  const completed = completeRun(plan, run);
  const { data, errors, objects, hasPropagated } = completed;
  const untold = untoldErrors(run, completed);
  const loose = takeLooseErrors(run);
  const caching = cachingOf(run);
  // What became null because of another field has its explanation: more would be noise to the client, not to the log.
  const found = hasPropagated ? [...errors, ...loose] : [...errors, ...loose, ...untold];
  const rest = [...found.slice(MAX_ERRORS), ...(hasPropagated ? untold : [])];
  if (found.length === 0) return { data, objects, caching };
  return {
    data,
    errors: found.slice(0, MAX_ERRORS),
    objects,
    caching,
    ...(rest.length > 0 && { untold: rest }),
  };
}

/** Errors of subgraphs that explain nothing in the answer, as of a field that another subgraph has answered. */
export function untoldErrors(run: PlanRun, { origins }: Pick<Completed, 'origins'>): readonly GraphQLError[] {
  if (run.subgraphErrors.length === 0) return [];
  const loose = new Set(run.looseErrors.map(({ reason }) => reason.origin));
  return run.subgraphErrors
    .filter(({ origin }) => origin && !origins.has(origin) && !loose.has(origin))
    .map(looseError);
}

/** Whether the careful way alone can tell what the answer to a run is. */
export function hasWorries({ failed, looseErrors }: PlanRun): boolean {
  return failed || looseErrors.length > 0;
}

/**
 * Makes the answer of a run without worries by a writer.
 *
 * @returns nothing without a writer, or when something is not as it must be
 */
export function writeAnswer(writer: ResponseWriter | undefined, run: PlanRun): ExecutionResult | undefined {
  const dataText = writer?.write(run.root, run.hasEscapes ? quoteAny : quotePlain);
  if (!writer || dataText === undefined) return undefined;
  return ResponseBody.ofWritten(dataText, run.isAscii && !run.hasEscapes, {
    objects: writer.objects(),
    caching: cachingOf(run),
  });
}

/** What subgraphs said in a run of how long their answers may be kept. */
export function cachingOf({ cachePolicy, hasUndated }: PlanRun): SubgraphCaching {
  return { policy: cachePolicy, hasUndated };
}

/** Shapes what a run merged the careful way. */
export function completeRun(plan: Plan, run: PlanRun): Completed {
  return completeData(plan.shape, run.root, run);
}

/**
 * The errors of subgraphs that concern no field. Each is told once.
 *
 * @param isOf chooses them by the fetch that they came with
 */
export function takeLooseErrors(
  run: PlanRun,
  isOf: (step: FetchStep) => boolean = () => true,
): readonly GraphQLError[] {
  const taken = run.looseErrors.filter(({ step }) => isOf(step));
  if (taken.length === 0) return [];
  const origins = new Set(taken.map(({ reason }) => reason.origin));
  run.looseErrors = run.looseErrors.filter((error) => !taken.includes(error));
  run.subgraphErrors = run.subgraphErrors.filter(({ origin }) => !origin || !origins.has(origin));
  return taken.map(({ reason }) => looseError(reason));
}

/** No answer of a subgraph had a backslash in it, so no string of theirs needs one. */
function quotePlain(text: string): string {
  return `"${text}"`;
}

function quoteAny(text: string): string {
  return JSON.stringify(text);
}

/** Without a path: the subgraph did not say which field it means. */
function looseError({ message, extensions }: FailureReason): GraphQLError {
  return new GraphQLError(message, { extensions });
}
