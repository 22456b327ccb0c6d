import { applyRewrites } from './apply-rewrites.ts';
import {
  ABSENCE,
  absent,
  Failure,
  internalFailure,
  isDataObject,
  markUnresolved,
  narrowed,
  withoutPath,
  type DataObject,
  type FailureReason,
} from './failure.ts';
import { mergeKey } from './merge-data.ts';
import { placeErrors } from './place-errors.ts';
import type { FetchStep } from '../plan/fetch-step.ts';
import type { PlanRun } from './plan-run.ts';
import type { GraphResponse } from './read-response.ts';

/** Merges the answer of a root fetch into an object. */
export function placeRoot(
  step: FetchStep,
  run: PlanRun,
  target: DataObject,
  answer: GraphResponse | Failure,
): void {
  run.version += 1;
  if (answer instanceof Failure) return failObject(step, run, target, answer);
  noteErrors(run, answer);
  const { data, errors } = answer;
  if (!data) return failObject(step, run, target, new Failure(errors));
  if (errors.length > 0) {
    const unplaced = placeErrors(data, errors, step.brings);
    explain(step, run, unplaced, (failure) => replaceNulls(data, failure));
  }
  applyRewrites(data, step.outputRewrites, run.supergraph.types);
  for (const { key, value } of fieldsFor(step, run, target, data))
    mergeKey(target, key, value, run.supergraph.types);
}

/**
 * Merges the answer about entities into the objects that each of them stands for.
 *
 * @returns the entities, when nothing was wrong with the answer as a whole
 */
export function placeEntities(
  step: FetchStep,
  run: PlanRun,
  targets: readonly (readonly DataObject[])[],
  answer: GraphResponse | Failure,
): readonly unknown[] | undefined {
  run.version += 1;
  if (!(answer instanceof Failure)) noteErrors(run, answer);
  const entities = answer instanceof Failure ? answer : entitiesOf(step, run, answer, targets.length);
  for (const [index, objects] of targets.entries()) {
    const entity: unknown = entities instanceof Failure ? narrowed(entities, index) : entities[index];
    placeEntity(step, run, objects, entity);
  }
  return entities instanceof Failure || answer instanceof Failure || answer.errors.length > 0
    ? undefined
    : entities;
}

function noteErrors(run: PlanRun, { errors }: GraphResponse): void {
  if (errors.length > 0) run.subgraphErrors = [...run.subgraphErrors, ...errors];
}

/** Merges an entity that is known from another fetch of the same run. */
export function placeKnownEntity(
  step: FetchStep,
  run: PlanRun,
  objects: readonly DataObject[],
  entity: unknown,
): void {
  run.version += 1;
  placeEntity(step, run, objects, entity);
}

function entitiesOf(
  step: FetchStep,
  run: PlanRun,
  { data, errors }: GraphResponse,
  count: number,
): unknown[] | Failure {
  const entities = data?.['_entities'];
  if (!Array.isArray(entities)) {
    return errors.length > 0 ? belowEntities(errors) : brokenEntities(step, 'no list of entities');
  }
  if (entities.length !== count)
    return brokenEntities(step, 'another number of entities than it was asked for');
  if (errors.length > 0) {
    const unplaced = placeErrors(entities, errors, step.brings, 1);
    explain(step, run, unplaced, (failure) => replaceNullElements(entities, failure));
  }
  applyRewrites(entities, step.outputRewrites, run.supergraph.types);
  return entities;
}

function brokenEntities({ subgraph }: FetchStep, what: string): Failure {
  return internalFailure(`The subgraph "${subgraph}" answered ${what}.`);
}

function belowEntities(errors: readonly FailureReason[]): Failure {
  return new Failure(
    errors.map((error) =>
      error.below[0] === '_entities' ? { ...error, below: error.below.slice(1) } : error,
    ),
  );
}

function placeEntity(step: FetchStep, run: PlanRun, objects: readonly DataObject[], entity: unknown): void {
  if (isDataObject(entity)) return placeFields(step, run, objects, entity);
  for (const object of objects) {
    if (entity instanceof Failure) failObject(step, run, object, entity);
    else if (entity === null) placeNothing(step, run, object);
    else failObject(step, run, object, brokenEntities(step, 'an entity that is no object'));
  }
}

/** What an entity brings is looked up once for the objects that stand beside each other with one type: nearly always all. */
function placeFields(
  step: FetchStep,
  run: PlanRun,
  objects: readonly DataObject[],
  entity: DataObject,
): void {
  const { types } = run.supergraph;
  let typename: unknown;
  let fields: readonly Field[] | undefined;
  for (const object of objects) {
    const known = object['__typename'];
    if (known !== typename || !fields) {
      typename = known;
      fields = isSameKind(object, entity, run) ? fieldsFor(step, run, object, entity) : undefined;
    }
    if (!fields)
      failObject(step, run, object, brokenEntities(step, 'an entity of another type than it was asked for'));
    else for (const { key, value } of fields) mergeKey(object, key, value, types);
  }
}

/** There is no such entity: its fields are null. */
export function placeNothing(step: FetchStep, run: PlanRun, object: DataObject): void {
  run.version += 1;
  object[absent] = true;
  for (const key of expectedKeys(step, object)) if (object[key] === undefined) object[key] = null;
}

/** An interface's name may stand for an object's own, in either direction. */
function isSameKind(object: DataObject, entity: DataObject, { supergraph: { types } }: PlanRun): boolean {
  const known = object['__typename'];
  const told = entity['__typename'];
  if (typeof known !== 'string' || typeof told !== 'string')
    return told === undefined || typeof told === 'string';
  return types.isSubtype(told, known) || types.isSubtype(known, told);
}

interface Field {
  readonly key: string;
  readonly value: unknown;
}

/**
 * Only what was asked for is taken: a subgraph can't overwrite what others answered. What the target is decides what was asked
 * for, so it is told first.
 */
function fieldsFor(step: FetchStep, run: PlanRun, target: DataObject, source: DataObject): readonly Field[] {
  const fields: Field[] = [];
  if (Object.hasOwn(source, '__typename')) {
    const value = source['__typename'];
    fields.push({ key: '__typename', value });
    mergeKey(target, '__typename', value, run.supergraph.types);
  }
  const keys = expectedKeys(step, target);
  for (const key of keys) if (Object.hasOwn(source, key)) fields.push({ key, value: source[key] });
  return fields;
}

/** Marks everything that a fetch was to bring to an object as failed. */
export function failObject(step: FetchStep, run: PlanRun, object: DataObject, failure: Failure): void {
  run.failed = true;
  run.version += 1;
  for (const key of expectedKeys(step, object)) {
    const known = Object.hasOwn(object, key) ? object[key] : undefined;
    if (known === undefined) object[key] = narrowed(failure, key);
    else if (key === '__typename') markUnresolved(object, failure);
    else markUnresolved(known, narrowed(failure, key));
  }
}

/** Marks the fields that need what is missing as failed, for the reason that it is missing. */
export function failDependents(
  step: FetchStep,
  run: PlanRun,
  object: DataObject,
  missing: ReadonlyMap<string, Failure>,
): void {
  run.failed = true;
  run.version += 1;
  for (const { key, needs } of step.dependents) {
    const name = needs.find((candidate) => missing.has(candidate));
    const failure = name === undefined ? undefined : missing.get(name);
    if (failure && !Object.hasOwn(object, key))
      object[key] = failure === ABSENCE ? null : new Failure(failure.reasons.map(withoutPath));
  }
}

/** The keys that a fetch brings to an object of its type. */
function expectedKeys(step: FetchStep, object: DataObject): readonly string[] {
  const typename = Object.hasOwn(object, '__typename') ? object['__typename'] : undefined;
  return step.expectedKeys(typeof typename === 'string' ? typename : undefined);
}

/** Errors without a usable path explain the nulls that nothing else explains; if there are none, they are told as they are. */
function explain(
  step: FetchStep,
  run: PlanRun,
  unplaced: readonly FailureReason[],
  replace: (failure: Failure) => boolean,
): void {
  run.failed = true;
  if (unplaced.length === 0) return;
  if (replace(new Failure(unplaced.map(withoutPath)))) return;
  run.looseErrors = [...run.looseErrors, ...unplaced.map((reason) => ({ step, reason }))];
}

function replaceNulls(data: DataObject, failure: Failure): boolean {
  const keys = Object.keys(data).filter((key) => data[key] === null);
  for (const key of keys) data[key] = failure;
  return keys.length > 0;
}

function replaceNullElements(elements: unknown[], failure: Failure): boolean {
  let found = false;
  for (const [index, element] of elements.entries()) {
    if (element !== null) continue;
    elements[index] = failure;
    found = true;
  }
  return found;
}
