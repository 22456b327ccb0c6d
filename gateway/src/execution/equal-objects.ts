import { ValueTrie } from '../value-trie.ts';
import type { FetchStep } from '../plan/plan.ts';
import type { RepresentationLayout } from '../plan/representation-layout.ts';
import { type DataObject, isDataObject, type WritableObject } from './failure.ts';
import { NOTHING_MISSING, type RepresentationBatch } from './representations.ts';

/**
 * The common case of `representationsOf`, fast: representations of plain values only, none of them missing. Equal ones are
 * found by their raw values, and only different ones are written.
 *
 * @returns nothing when an object is not of that kind: then the slow path decides
 */
export function flatRepresentations(
  objects: readonly DataObject[],
  step: FetchStep,
): RepresentationBatch | undefined {
  const texts: string[] = [];
  const targets: DataObject[][] = [];
  const roots = new Map<RepresentationLayout, ValueTrie<number>>();
  for (const object of objects) {
    const typename = object['__typename'];
    if (typeof typename !== 'string') return undefined;
    const layout = step.layoutOf(typename);
    if (layout === 'other type') continue;
    if (layout === 'not flat') return undefined;
    let root = roots.get(layout);
    if (!root) roots.set(layout, (root = new ValueTrie()));
    const node = nodeFor(root, layout, object);
    if (!node) return undefined;
    if (node.leaf === undefined) {
      node.leaf = texts.length;
      texts.push(textOf(layout, object));
      targets.push([object]);
    } else targets[node.leaf]?.push(object);
  }
  return { missing: NOTHING_MISSING, texts, targets };
}

/** @returns where the place of equal objects in the batch stands */
function nodeFor(
  root: ValueTrie<number>,
  { keys, nullable }: RepresentationLayout,
  object: DataObject,
): ValueTrie<number> | undefined {
  let at = root;
  for (let depth = 0; depth < keys.length; depth += 1) {
    const value = object[keys[depth] as string]; // below the length
    if (value === undefined || (typeof value === 'object' && !(value === null && nullable[depth])))
      return undefined;
    at = at.at(value);
  }
  return at;
}

function textOf({ keys, texts }: RepresentationLayout, object: DataObject): string {
  let text = texts[0] ?? '';
  for (const [index, key] of keys.entries()) text += JSON.stringify(object[key]) + (texts[index + 1] ?? '');
  return text;
}

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

class UnitedObjects {
  readonly objects = new Set<DataObject>();
  readonly #keys: readonly string[];
  readonly #root = new ValueTrie<DataObject>();

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
    let at = this.#root;
    for (const key of this.#keys) {
      const value = object[key];
      if (value === undefined || (typeof value === 'object' && value !== null)) return object;
      at = at.at(value);
    }
    return (at.leaf ??= object);
  }
}
