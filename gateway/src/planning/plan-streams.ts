import type { RequiredSelection } from '../plan/fetch-fields.ts';
import type { PreparedOperation, PreparedStream } from '../plan/prepared-operation.ts';
import {
  fetchesOf,
  type DeferredPlan,
  type FetchStep,
  type PlanFields,
  type PlanStep,
  type StreamPlan,
} from '../plan/plan.ts';

type Steps = Pick<PlanFields, 'step' | 'parts'>;
type StreamPlans = ReadonlyMap<PreparedStream, StreamPlan>;

const NO_STREAMS: StreamPlans = new Map();

/**
 * Finds what later items of each streamed list need. A list of which another fetch needs all items, as for `@requires`, is streamed
 * no more: it comes whole.
 */
export function planStreams(streams: PreparedOperation['streams'], steps: Steps): StreamPlans {
  if (streams.size === 0) return NO_STREAMS; // as nearly all operations have it: their fetches need not be looked at
  const fetches = [...fetchesOf(steps.step), ...fetchesOfParts(steps.parts)];
  const needed = new Set(fetches.flatMap((step) => [...listsNeededBy(step)]));
  const contextKeys = new Set(fetches.flatMap((step) => [...keysOfContext(step)]));
  const plans = new Map<PreparedStream, StreamPlan>();
  for (const stream of streams.values()) {
    const paths = [...stream.sourcePaths];
    stream.isOff ||= paths.some((path) => needed.has(path) || contextKeys.has(path.split(' ').at(-1) ?? ''));
    if (!stream.isOff)
      plans.set(
        stream,
        planOf(steps, (step) => isBelow(step, paths)),
      );
  }
  return plans;
}

/** Whether a fetch is made for items of a list, or for what is below them. */
function isBelow({ path }: FetchStep, listPaths: readonly string[]): boolean {
  const keys = keysText(path);
  return listPaths.some((list) => keys === list || keys.startsWith(`${list} `));
}

/** As in {@link PreparedStream}: without the marks of lists. */
function keysText(path: readonly string[]): string {
  return path
    .filter((key) => key !== '@')
    .map((key) => ` ${key}`)
    .join('');
}

type IsWanted = (step: FetchStep) => boolean;

function planOf({ step, parts }: Steps, isWanted: IsWanted): StreamPlan {
  const plan = { step: step && restrict(step, isWanted), parts: parts && restrictParts(parts, isWanted) };
  const subgraphRequests = [...fetchesOf(plan.step), ...fetchesOfParts(plan.parts)].length;
  return { ...plan, subgraphRequests };
}

function restrict(step: PlanStep, isWanted: IsWanted): PlanStep | undefined {
  if (step.kind === 'fetch') return isWanted(step) ? step : undefined;
  const steps = step.steps.flatMap((child) => restrict(child, isWanted) ?? []);
  return steps.length > 0 ? { kind: step.kind, steps } : undefined;
}

function restrictParts({ first, later }: DeferredPlan, isWanted: IsWanted): DeferredPlan {
  return {
    first: first && restrict(first, isWanted),
    later: later.map((part) => ({ ...part, plan: restrictParts(part.plan, isWanted) })),
  };
}

function* fetchesOfParts(parts: DeferredPlan | undefined): Iterable<FetchStep> {
  if (!parts) return;
  yield* fetchesOf(parts.first);
  for (const { plan } of parts.later) yield* fetchesOfParts(plan);
}

/** Paths of the objects and lists within an entity that a fetch requires something of. */
function* listsNeededBy({ path, requires = [] }: FetchStep): Iterable<string> {
  yield* listsWithin(requires, keysText(path));
}

function* listsWithin(selections: readonly RequiredSelection[], above: string): Iterable<string> {
  for (const selection of selections) {
    if (selection.kind === 'fragment') yield* listsWithin(selection.selections, above);
    else if (selection.selections) {
      const path = `${above} ${selection.key}`;
      yield path;
      yield* listsWithin(selection.selections, path);
    }
  }
}

/** Keys that lead to values which fields take from above. */
function* keysOfContext({ contextValues }: FetchStep): Iterable<string> {
  for (const { path } of contextValues)
    for (const step of path.slice(0, -1)) if (step.kind === 'key') yield step.key;
}
