import type { FetchStep } from '../plan/fetch-step.ts';
import type { RepresentationLayout } from '../plan/representation-layout.ts';
import type { DataObject } from './failure.ts';
import type { RepresentationBatch } from './representations.ts';

/**
 * The common case of {@link representationsOf}, fast: representations of plain values only, none of them missing. Equal ones are
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
  const roots = new Map<RepresentationLayout, Branch>();
  for (const object of objects) {
    const typename = object['__typename'];
    if (typeof typename !== 'string') return undefined;
    const layout = step.layoutOf(typename);
    if (layout === 'other type') continue;
    if (layout === 'not flat') return undefined;
    let root = roots.get(layout);
    if (!root) roots.set(layout, (root = new Map()));
    const leaf = leafFor(root, layout, object);
    if (!leaf) return undefined;
    if (leaf.index === undefined) {
      leaf.index = texts.length;
      texts.push(textOf(layout, object));
      targets.push([object]);
    } else targets[leaf.index]?.push(object);
  }
  return { missing: nothingMissing, texts, targets };
}

const nothingMissing: RepresentationBatch['missing'] = new Map();

interface Leaf {
  index: number | undefined;
}

/** Values of the first key lead to those of the second, and so on; the last lead to leaves. */
type Branch = Map<unknown, Branch | Leaf>;

function leafFor(
  root: Branch,
  { keys, nullable }: RepresentationLayout,
  object: DataObject,
): Leaf | undefined {
  let branch = root;
  const last = keys.length - 1;
  for (let depth = 0; depth <= last; depth += 1) {
    const value = object[keys[depth] as string]; // below the length
    if (value === undefined || (typeof value === 'object' && !(value === null && nullable[depth])))
      return undefined;
    let next = branch.get(value);
    if (!next)
      branch.set(value, (next = depth === last ? { index: undefined } : new Map<unknown, Branch | Leaf>()));
    if (!(next instanceof Map)) return next;
    branch = next;
  }
  return undefined;
}

function textOf({ keys, texts }: RepresentationLayout, object: DataObject): string {
  let text = texts[0] ?? '';
  for (const [index, key] of keys.entries()) text += JSON.stringify(object[key]) + (texts[index + 1] ?? '');
  return text;
}
