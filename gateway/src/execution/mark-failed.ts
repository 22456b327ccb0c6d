import { own } from '@trellis/runtime/own-property';
import type { FetchStep } from '../plan/plan.ts';
import type { LeftOutField } from '../plan/prune-fetch.ts';
import type { TypeIndex } from '../supergraph/type-index.ts';
import {
  ABSENCE,
  absent,
  Failure,
  joinFailures,
  narrowed,
  withoutPath,
  type DataObject,
  type WritableObject,
} from './failure.ts';
import { expectedKeys, markUnresolved, objectsAt, setIfUnset } from './merge-values.ts';

/** Marks everything that a fetch was to bring to an object as failed. Values that have come stay. */
export function markFailed(step: FetchStep, object: WritableObject, failure: Failure): void {
  for (const key of expectedKeys(step, object)) {
    const known = own(object, key);
    if (known === undefined) object[key] = narrowed(failure, key);
    else if (key === '__typename') markUnresolved(object, failure);
    else if (known instanceof Failure) object[key] = joinFailures(known, narrowed(failure, key));
    else markUnresolved(known, narrowed(failure, key));
  }
}

/** There is no such entity: its fields are null. */
export function markAbsent(step: FetchStep, object: WritableObject): void {
  object[absent] = true;
  for (const key of expectedKeys(step, object)) setIfUnset(object, key, null);
}

/** Marks the fields that need what is missing as failed, for the reason that it is missing. */
export function markDependents(
  { dependents }: FetchStep,
  objects: readonly DataObject[],
  missing: ReadonlyMap<string, Failure>,
): void {
  for (const { key, needs } of dependents) {
    const name = needs.find((candidate) => missing.has(candidate));
    const failure = name === undefined ? undefined : missing.get(name);
    if (failure) for (const object of objects) setIfUnset(object, key, dependentValue(failure));
  }
}

function dependentValue(failure: Failure): Failure | null {
  return failure === ABSENCE ? null : new Failure(failure.reasons.map(withoutPath));
}

/** Fields that were left out of a fetch, and why the variables that they take have no value. */
interface LeftOut {
  readonly leftOut: readonly LeftOutField[];
  /** By the variable. */
  readonly failures: ReadonlyMap<string, Failure>;
}

/** Marks fields below an entity as failed that were left out of its fetch. */
export function markLeftOut(entity: DataObject, { leftOut, failures }: LeftOut, types: TypeIndex): void {
  for (const { path, key, variable } of leftOut) {
    const failure = failures.get(variable);
    if (failure) objectsAt(entity, path, types, (object) => setIfUnset(object, key, failure));
  }
}
