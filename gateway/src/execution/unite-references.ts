import { isDataObject, type DataObject, type WritableObject } from './failure.ts';

/**
 * The objects at a path, where equal ones are made one first: what is asked of them is asked once, and what comes is added
 * once. Only for objects that nothing but these keys is known of, all of them from one fetch.
 *
 * @param path `@` stands for each element of a list
 * @param keys own keys that distinguish such objects
 */
export function unitedTargetsAt(
  root: DataObject,
  path: readonly string[],
  keys: readonly string[],
): DataObject[] {
  const united = new UnitedObjects(keys);
  uniteBelow(root, path, 0, united);
  return [...united.objects];
}

/** @returns what is to stand in the place of the value */
function uniteBelow(value: unknown, path: readonly string[], index: number, united: UnitedObjects): unknown {
  const key = path[index];
  if (key === undefined) return isDataObject(value) ? united.of(value) : value;
  if (key === '@') {
    if (Array.isArray(value)) uniteElements(value, path, index + 1, united);
  } else if (isDataObject(value) && Object.hasOwn(value, key)) {
    const object: WritableObject = value;
    const below = object[key];
    const one = uniteBelow(below, path, index + 1, united);
    if (one !== below) object[key] = one;
  }
  return value;
}

function uniteElements(list: unknown[], path: readonly string[], index: number, united: UnitedObjects): void {
  for (let at = 0; at < list.length; at += 1) {
    const one = uniteBelow(list[at], path, index, united);
    if (one !== list[at]) list[at] = one;
  }
}

/** Values of the first key lead to those of the second, and so on; the last lead to objects. */
type Branch = Map<unknown, Branch | DataObject>;

class UnitedObjects {
  readonly objects = new Set<DataObject>();
  readonly #keys: readonly string[];
  readonly #root: Branch = new Map();

  constructor(keys: readonly string[]) {
    this.#keys = keys;
  }

  /** The first object with these values; an object of other than plain values is one of its own. */
  of(object: DataObject): DataObject {
    const one = this.#find(object);
    this.objects.add(one);
    return one;
  }

  #find(object: DataObject): DataObject {
    let branch = this.#root;
    const last = this.#keys.length - 1;
    for (let depth = 0; depth <= last; depth += 1) {
      const value = object[this.#keys[depth] as string]; // below the length
      if (value === undefined || (typeof value === 'object' && value !== null)) return object;
      let next = branch.get(value);
      if (!next)
        branch.set(value, (next = depth === last ? object : new Map<unknown, Branch | DataObject>()));
      if (!(next instanceof Map)) return next;
      branch = next;
    }
    return object;
  }
}
