import { own } from '@trellis/runtime/own-property';
import type { BroughtKeys, Rewrite, RewriteStep } from '../plan/fetch-fields.ts';
import type { FetchStep } from '../plan/plan.ts';
import type { TypeIndex } from '../supergraph/type-index.ts';
import {
  Failure,
  isDataObject,
  joinFailures,
  narrowed,
  unresolved,
  type DataObject,
  type FailureReason,
  type PathKey,
  type WritableObject,
} from './failure.ts';

/**
 * Adds one value to an object of the merged data. Objects and lists of equal length grow together; null never replaces a value; of
 * two other values the later one stays.
 */
export function mergeKey(target: WritableObject, key: string, value: unknown, types: TypeIndex): void {
  const known = own(target, key);
  if (known === undefined) target[key] = value;
  else if (key !== '__typename' || isBetterTypename(value, known, types))
    target[key] = mergeValues(known, value, types);
}

/** Whether the names of two types may be those of one object: an interface's name may stand for the object's own, in either place. */
export function isSameKind(known: unknown, typename: unknown, types: TypeIndex): boolean {
  if (typeof known !== 'string' || typeof typename !== 'string')
    return typename === undefined || typeof typename === 'string';
  return types.isSubtype(typename, known) || types.isSubtype(known, typename);
}

/** The keys that a fetch brings to an object of its type. */
export function expectedKeys(step: FetchStep, object: DataObject): readonly string[] {
  const typename = own(object, '__typename');
  return step.expectedKeys(typeof typename === 'string' ? typename : undefined);
}

/** Sets a value that nothing else has set. */
export function setIfUnset(object: WritableObject, key: string, value: unknown): void {
  if (!Object.hasOwn(object, key) || object[key] === undefined) object[key] = value;
}

/** A subgraph that knows an interface as an object type sends the interface's name; the object's own says more. */
function isBetterTypename(value: unknown, known: unknown, types: TypeIndex): boolean {
  return typeof value === 'string' && (types.isObject(value) || typeof known !== 'string');
}

function mergeValues(known: unknown, value: unknown, types: TypeIndex): unknown {
  if (isDataObject(known)) return mergeIntoObject(known, value, types);
  if (isDataObject(value)) return keepFailure(value, known);
  if (value === null) return known;
  if (value instanceof Failure) return mergeFailure(known, value);
  if (known instanceof Failure) markUnresolved(value, known);
  if (Array.isArray(known) && Array.isArray(value) && known.length === value.length) {
    for (let index = 0; index < known.length; index += 1) {
      known[index] = mergeValues(known[index], value[index], types);
    }
    return known;
  }
  return value;
}

function mergeFailure(known: unknown, failure: Failure): unknown {
  if (known instanceof Failure) return joinFailures(known, failure);
  markUnresolved(known, failure);
  return known;
}

function mergeIntoObject(known: WritableObject, value: unknown, types: TypeIndex): DataObject {
  if (!isDataObject(value)) return keepFailure(known, value);
  mergeObject(known, value, types);
  return known;
}

function keepFailure(object: DataObject, other: unknown): DataObject {
  if (other instanceof Failure) markUnresolved(object, other);
  return object;
}

function mergeObject(target: WritableObject, source: DataObject, types: TypeIndex): void {
  for (const key of Object.keys(source)) {
    // This key is never asked for (a client's is renamed), and assigning it would change the object's prototype.
    if (key !== '__proto__') mergeKey(target, key, source[key], types);
  }
}

/** Lets a failure explain the fields that objects lack, and those that the objects inside them lack. */
export function markUnresolved(value: unknown, failure: Failure): void {
  if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) markChild(element, index, failure);
  } else if (isDataObject(value) && !value[unresolved]) {
    const object: WritableObject = value;
    object[unresolved] = failure;
    for (const key of Object.keys(value)) markChild(value[key], key, failure);
  }
}

function markChild(child: unknown, key: PathKey, failure: Failure): void {
  if (typeof child === 'object' && child !== null) markUnresolved(child, narrowed(failure, key));
}

/**
 * Puts a subgraph's errors where they made values null, deepest first reached: there they explain the null, whatever path
 * the client knows the place by.
 *
 * @param brings what was asked for: elsewhere an error would not be read
 * @returns those that explain no null of the data
 */
export function placeErrors(
  root: WritableObject | unknown[],
  errors: readonly FailureReason[],
  brings: BroughtKeys,
  skip = 0,
): FailureReason[] {
  return errors.filter((error) => !placeError(root, error, brings, skip));
}

function placeError(
  root: WritableObject | unknown[],
  error: FailureReason,
  brings: BroughtKeys,
  skip: number,
): boolean {
  let current: unknown = root;
  let asked: BroughtKeys | undefined = brings;
  for (let index = skip; index < error.below.length; index += 1) {
    const key = error.below[index] as PathKey; // below the length
    if (!canHold(current, key) || (typeof key === 'string' && !asked?.has(key))) return false;
    const holder = current as Record<PathKey, unknown>;
    const value = own(holder, key);
    if (value === null || value === undefined || value instanceof Failure) {
      holder[key] = withReason(value, { ...error, below: error.below.slice(index + 1) });
      return true;
    }
    current = value;
    if (typeof key === 'string') asked = asked?.get(key);
  }
  return false;
}

/** The errors of subgraphs that stand in a value, whether or not the client asked for what they are of. */
export function originsWithin(value: unknown, found: Set<object> = new Set()): ReadonlySet<object> {
  if (value instanceof Failure) {
    for (const { origin } of [...value.reasons, ...value.repeated]) if (origin) found.add(origin);
  } else if (Array.isArray(value)) {
    for (const element of value) originsWithin(element, found);
  } else if (isDataObject(value)) {
    originsWithin(value[unresolved], found);
    for (const key of Object.keys(value)) originsWithin(value[key], found);
  }
  return found;
}

/** A list is never lengthened, and no key of an object has the power to change its prototype. */
function canHold(value: unknown, key: PathKey): boolean {
  if (Array.isArray(value)) return typeof key === 'number' && key >= 0 && key < value.length;
  return typeof value === 'object' && value !== null && typeof key === 'string' && key !== '__proto__';
}

function withReason(value: unknown, reason: FailureReason): Failure {
  return new Failure(value instanceof Failure ? [...value.reasons, reason] : [reason]);
}

/** Lets a failure stand for the nulls at the top of a response, or of a list of entities. @returns whether there are any */
export function replaceNulls(data: WritableObject | unknown[], failure: Failure): boolean {
  const holder = data as Record<PathKey, unknown>;
  const nulls = Object.keys(data).filter((key) => holder[key] === null);
  for (const key of nulls) holder[key] = failure;
  return nulls.length > 0;
}

/** Changes data in place as the plan says. Paths run through lists. */
export function applyRewrites(value: unknown, rewrites: readonly Rewrite[], types: TypeIndex): void {
  for (const rewrite of rewrites) {
    objectsAt(value, rewrite.path, types, (object) => applyTo(object, rewrite));
  }
}

function applyTo(object: WritableObject, rewrite: Rewrite): void {
  if (rewrite.kind === 'set') object[rewrite.key] = rewrite.value;
  else if (Object.hasOwn(object, rewrite.key)) {
    object[rewrite.to] = object[rewrite.key];
    delete object[rewrite.key];
  }
}

/** An object that a fetch adds to, with those above it: nearest last. */
export interface Target {
  readonly object: DataObject;
  readonly ancestors: readonly DataObject[];
}

/**
 * The objects at a path: `@` stands for each element of a list. An object that is at several places (two of them were the
 * same entity in one fetch) comes once: what is added to it is seen at all of them.
 */
export function targetsAt(root: DataObject, path: readonly string[]): DataObject[] {
  const found = new Set<DataObject>();
  collect(root, path, 0, found);
  return [...found];
}

function collect(value: unknown, path: readonly string[], from: number, found: Set<DataObject>): void {
  let current = value;
  for (let index = from; index < path.length; index += 1) {
    const key = path[index] as string; // below the length
    if (key === '@') {
      if (!Array.isArray(current)) return;
      for (const element of current) collect(element, path, index + 1, found);
      return;
    }
    if (!isDataObject(current) || !Object.hasOwn(current, key)) return;
    current = current[key];
  }
  if (isDataObject(current)) found.add(current);
}

/** As {@link targetsAt}, for a fetch that needs values from above. The same object comes once for each way to it. */
export function targetsWithAncestors(root: DataObject, path: readonly string[]): Target[] {
  const found: Target[] = [];
  const descend = (value: unknown, index: number, ancestors: readonly DataObject[]): void => {
    const key = path[index];
    if (key === undefined) {
      if (isDataObject(value)) found.push({ object: value, ancestors });
    } else if (key === '@') {
      if (Array.isArray(value)) for (const element of value) descend(element, index + 1, ancestors);
    } else if (isDataObject(value) && Object.hasOwn(value, key)) {
      descend(value[key], index + 1, [...ancestors, value]);
    }
  };
  descend(root, 0, []);
  return found;
}

/** Calls back for each object at a path that runs through lists. A type matches where the object's own is not known. */
export function objectsAt(
  value: unknown,
  path: readonly RewriteStep[],
  types: TypeIndex,
  found: (object: DataObject) => void,
): void {
  visitPath(value, path, 0, types, found);
}

function visitPath(
  value: unknown,
  path: readonly RewriteStep[],
  index: number,
  types: TypeIndex,
  found: (object: DataObject) => void,
): void {
  if (Array.isArray(value)) {
    for (const element of value) visitPath(element, path, index, types, found);
    return;
  }
  if (!isDataObject(value)) return;
  const step = path[index];
  if (!step) found(value);
  else if (step.kind === 'key') {
    if (Object.hasOwn(value, step.key)) visitPath(value[step.key], path, index + 1, types, found);
  } else if (matchesType(value, step.type, types)) visitPath(value, path, index + 1, types, found);
}

function matchesType(object: DataObject, type: string, types: TypeIndex): boolean {
  const name = object['__typename'];
  return typeof name !== 'string' || types.isSubtype(name, type);
}
