import type { TypeIndex } from '../supergraph/type-index.ts';
import { Failure, isDataObject, markUnresolved, type DataObject } from './failure.ts';

/**
 * Adds what a subgraph answered for an object to what is known of it. Objects and lists of equal length grow together;
 * null never replaces a value; of two other values the later one stays.
 */
export function mergeObject(target: DataObject, source: DataObject, types: TypeIndex): void {
  for (const key of Object.keys(source)) {
    // Nobody asks for this key (a client's is renamed), and assigning it would change the object's prototype.
    if (key !== '__proto__') mergeKey(target, key, source[key], types);
  }
}

/** Adds one value to an object. */
export function mergeKey(target: DataObject, key: string, value: unknown, types: TypeIndex): void {
  const known = Object.hasOwn(target, key) ? target[key] : undefined;
  if (known === undefined) target[key] = value;
  else if (key !== '__typename' || isBetterTypename(value, known, types))
    target[key] = mergeValues(known, value, types);
}

/** A subgraph that knows an interface as an object type answers the interface's name; the object's own says more. */
function isBetterTypename(value: unknown, known: unknown, types: TypeIndex): boolean {
  return typeof value === 'string' && (types.isObject(value) || typeof known !== 'string');
}

function mergeValues(known: unknown, value: unknown, types: TypeIndex): unknown {
  if (isDataObject(known)) return mergeIntoObject(known, value, types);
  if (isDataObject(value)) return keepFailure(value, known);
  if (value === null || value instanceof Failure) {
    if (value) markUnresolved(known, value);
    return known;
  }
  if (known instanceof Failure) markUnresolved(value, known);
  if (Array.isArray(known) && Array.isArray(value) && known.length === value.length) {
    for (let index = 0; index < known.length; index += 1) {
      known[index] = mergeValues(known[index], value[index], types);
    }
    return known;
  }
  return value;
}

function mergeIntoObject(known: DataObject, value: unknown, types: TypeIndex): DataObject {
  if (!isDataObject(value)) return keepFailure(known, value);
  mergeObject(known, value, types);
  return known;
}

function keepFailure(object: DataObject, other: unknown): DataObject {
  if (other instanceof Failure) markUnresolved(object, other);
  return object;
}
