import { own } from '@trellis/runtime/own-property';
import { objectsAt, type Target } from './merge-values.ts';
import { tooComplex } from '../errors.ts';
import { Failure, internalFailure, withoutPath, type DataObject } from './failure.ts';
import type { ContextValue } from '../plan/fetch-fields.ts';
import type { FetchStep } from '../plan/plan.ts';
import type { PlanRun } from './plan-run.ts';

/** Fetches entities with values from above them. @param text variables as members of a JSON object */
export type FetchWithValues = (
  step: FetchStep,
  objects: readonly DataObject[],
  text: string,
) => Promise<unknown>;

/** Why variables have no value. */
type Missing = ReadonlyMap<string, Failure>;

/** Objects that get the same values. */
interface ContextGroup {
  readonly text: string;
  readonly missing: ReadonlySet<string>;
  readonly objects: Map<DataObject, Missing>;
}

/**
 * Fetches what takes values from above (`@fromContext`). Objects that get the same values share a request. Where a value is
 * missing, the fields that take it fail, and the others are asked for without them. Where there are more values than requests may be
 * made, the fields that take the others fail.
 */
export async function fetchByContext(step: FetchStep, run: PlanRun, fetch: FetchWithValues): Promise<void> {
  const groups = [...groupsOf(step, run).values()];
  const count = takeRequests(groups.length, run);
  for (const group of groups.slice(count))
    failGroup(step, run, group, run.subgraphRequests.made + groups.length - count);
  await Promise.all(groups.slice(0, count).map((group) => fetchGroup(step, run, group, fetch)));
}

/** The first request for each fetch was counted with the plan. @returns how many may be made */
function takeRequests(wanted: number, run: PlanRun): number {
  const { maxRequests = Number.POSITIVE_INFINITY } = run.context;
  const further = Math.max(0, Math.min(wanted - 1, maxRequests - run.subgraphRequests.made));
  run.subgraphRequests.made += further;
  return 1 + further;
}

function failGroup(step: FetchStep, run: PlanRun, { objects }: ContextGroup, wantedRequests: number): void {
  const { maxRequests = Number.POSITIVE_INFINITY } = run.context;
  const rejection = tooComplex('subgraphRequests', maxRequests, wantedRequests);
  const reasons = rejection.errors.map(({ message, extensions }) => ({
    message,
    extensions,
    below: [],
    cause: undefined,
  }));
  for (const object of objects.keys()) run.data.fail(step, object, new Failure(reasons));
}

function groupsOf(step: FetchStep, run: PlanRun): ReadonlyMap<string, ContextGroup> {
  const groups = new Map<string, ContextGroup>();
  for (const target of run.data.targetsWithAncestors(step)) {
    const { text, missing } = contextOf(step.contextValues, target, run);
    const key = `${text} ${[...missing.keys()].join()}`;
    let group = groups.get(key);
    if (!group) groups.set(key, (group = { text, missing: new Set(missing.keys()), objects: new Map() }));
    group.objects.set(target.object, missing);
  }
  return groups;
}

async function fetchGroup(
  step: FetchStep,
  run: PlanRun,
  { text, missing, objects }: ContextGroup,
  fetch: FetchWithValues,
): Promise<void> {
  if (missing.size === 0) return void (await fetch(step, [...objects.keys()], text));
  const { step: remaining, leftOut } = step.withoutVariables(missing);
  if (remaining) await fetch(remaining, [...objects.keys()], text);
  for (const [object, failures] of objects) run.data.failLeftOut(object, leftOut, failures);
}

function contextOf(
  values: readonly ContextValue[],
  target: Target,
  run: PlanRun,
): { readonly text: string; readonly missing: Missing } {
  const texts = new Map<string, string>();
  const missing = new Map<string, Failure>();
  for (const value of values) {
    const { variable } = value;
    const found = contextValue(value, target, run);
    if (found instanceof Failure) missing.set(variable, new Failure(found.reasons.map(withoutPath)));
    else if (found !== undefined) texts.set(variable, `${JSON.stringify(variable)}:${JSON.stringify(found)}`);
  }
  for (const { variable } of values)
    if (!texts.has(variable) && !missing.has(variable)) missing.set(variable, MISSING_VALUE);
  for (const variable of texts.keys()) missing.delete(variable);
  return { text: [...texts.values()].join(), missing };
}

const MISSING_VALUE = internalFailure('A value that a field takes from its context is missing.');

/** Several places may be named for one variable: one for each type that sets the context. */
function contextValue({ levelsUp, path }: ContextValue, target: Target, run: PlanRun): unknown {
  const from = levelsUp === 0 ? target.object : target.ancestors.at(-levelsUp);
  const last = path.at(-1);
  if (last?.kind !== 'key') return undefined;
  let found: unknown;
  objectsAt(from, path.slice(0, -1), run.supergraph.types, (object) => {
    const value = own(object, last.key);
    if (value !== undefined) found = value;
  });
  return found;
}
