import type { BroughtKeys } from '../plan/fetch-fields.ts';
import {
  fetchesOf,
  type FetchStep,
  type PlanStep,
  type TargetOrigin,
  type TargetOrigins,
} from '../plan/plan.ts';

/** An object with more values than this is seldom there twice, and comparing them costs more than it saves. */
const MAX_REFERENCE_KEYS = 4;

/** Finds out which objects come from a single fetch: those may be looked for once, and equal ones may be one. */
export function findOrigins(step: PlanStep | undefined): TargetOrigins {
  const origins = new Map<string, TargetOrigin>();
  const steps = [...fetchesOf(step)];
  // Where values come from above, equal objects below different ones are not the same.
  if (steps.some(({ contextValues }) => contextValues.length > 0)) return origins;
  for (const { requires, path, pathText } of steps) {
    const origin = requires && !origins.has(pathText) ? originOf(path, steps) : undefined;
    if (origin) origins.set(pathText, origin);
  }
  return origins;
}

function originOf(path: readonly string[], steps: readonly FetchStep[]): TargetOrigin | undefined {
  const above = steps.filter((step) => isAbove(step.path, path));
  if (above.some(({ outputRewrites }) => outputRewrites.length > 0)) return undefined;
  const brought = above.map((step) => keysAt(step.brings, path.slice(step.path.length)));
  const [keys, another] = brought.filter((found) => found !== undefined);
  return keys && !another ? { referenceKeys: referenceKeysOf(keys) } : undefined;
}

function isAbove(above: readonly string[], path: readonly string[]): boolean {
  return above.length < path.length && above.every((key, index) => key === path[index]);
}

function keysAt(brings: BroughtKeys, path: readonly string[]): BroughtKeys | undefined {
  let keys: BroughtKeys | undefined = brings;
  for (const key of path) if (key !== '@') keys = keys?.get(key);
  return keys;
}

/** Names that objects inherit are not looked up in the fast way. */
function referenceKeysOf(keys: BroughtKeys): readonly string[] | undefined {
  const names = [...keys.keys()];
  const isPlain = names.every((name) => keys.get(name) === undefined && !(name in Object.prototype));
  return isPlain && names.length <= MAX_REFERENCE_KEYS ? names : undefined;
}
