import type { TypeIndex } from '../supergraph/type-index.ts';
import { isDataObject, type DataObject } from './failure.ts';
import type { Rewrite, RewriteStep } from '../plan/fetch-fields.ts';

/** Changes data in place as the plan says. Paths run through lists. */
export function applyRewrites(value: unknown, rewrites: readonly Rewrite[], types: TypeIndex): void {
  for (const rewrite of rewrites) {
    visitPath(value, rewrite.path, 0, types, (object) => applyTo(object, rewrite));
  }
}

function applyTo(object: DataObject, rewrite: Rewrite): void {
  if (rewrite.kind === 'set') object[rewrite.key] = rewrite.value;
  else if (Object.hasOwn(object, rewrite.key)) {
    object[rewrite.to] = object[rewrite.key];
    delete object[rewrite.key];
  }
}

/** Calls back for each object at a path. A type matches where the object's own is not known. */
export function visitPath(
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
