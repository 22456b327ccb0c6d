import type { RewriteStep } from '../plan/fetch-fields.ts';
import type { TypeIndex } from '../supergraph/type-index.ts';
import { isDataObject, type DataObject } from './failure.ts';

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
