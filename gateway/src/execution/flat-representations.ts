import type { TypeIndex } from '../supergraph/type-index.ts';
import type { DataObject } from './failure.ts';
import type { FetchStep, RequiredSelection } from '../plan/plan-steps.ts';
import type { RepresentationBatch } from './representations.ts';

/**
 * The common case of {@link representationsOf}, fast: representations of plain values only, all of them there. Equal ones are
 * found by their raw values, and only different ones are written.
 *
 * @returns nothing when an object is not of that kind: then the careful way decides
 */
export function flatRepresentations(
  objects: readonly DataObject[],
  step: FetchStep,
  types: TypeIndex,
): RepresentationBatch | undefined {
  const layouts = layoutsOf(step);
  if (!layouts) return undefined;
  const texts: string[] = [];
  const targets: DataObject[][] = [];
  const roots = new Map<Layout, Branch>();
  for (const object of objects) {
    const typename = object['__typename'];
    if (typeof typename !== 'string') return undefined;
    const layout = layoutOf(layouts, step, typename, types);
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

/** How objects of one type are represented. */
interface Layout {
  /** Where values are read. */
  readonly keys: readonly string[];
  /** Which of the values may be null: none that the key is made of. */
  readonly nullable: readonly boolean[];
  /** The JSON text before each value, and after the last. */
  readonly texts: readonly string[];
}

type LayoutDecision = Layout | 'other type' | 'not flat';

interface Leaf {
  index: number | undefined;
}

/** Values of the first key lead to those of the second, and so on; the last lead to leaves. */
type Branch = Map<unknown, Branch | Leaf>;

function leafFor(root: Branch, { keys, nullable }: Layout, object: DataObject): Leaf | undefined {
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

function textOf({ keys, texts }: Layout, object: DataObject): string {
  let text = texts[0] ?? '';
  for (const [index, key] of keys.entries()) text += JSON.stringify(object[key]) + (texts[index + 1] ?? '');
  return text;
}

const layoutsByStep = new WeakMap<FetchStep, Map<string, LayoutDecision> | 'none'>();

function layoutsOf(step: FetchStep): Map<string, LayoutDecision> | undefined {
  let layouts = layoutsByStep.get(step);
  if (!layouts) {
    layouts = step.inputRewrites.length === 0 ? new Map() : 'none';
    layoutsByStep.set(step, layouts);
  }
  return layouts === 'none' ? undefined : layouts;
}

/** Bounded by the types of the supergraph: names that are none of them are not remembered. */
function layoutOf(
  layouts: Map<string, LayoutDecision>,
  step: FetchStep,
  typename: string,
  types: TypeIndex,
): LayoutDecision {
  const known = layouts.get(typename);
  if (known) return known;
  const keys = flatKeys(step.requires ?? [], typename, types);
  const layout = keys === undefined ? 'not flat' : makeLayout(keys, step, typename, types);
  if (types.isObject(typename)) layouts.set(typename, layout);
  return layout;
}

interface FlatKey {
  readonly key: string;
  readonly name: string;
}

/** @returns nothing when a required field has fields of its own, or a name that objects inherit */
function flatKeys(
  selections: readonly RequiredSelection[],
  typename: string,
  types: TypeIndex,
): readonly FlatKey[] | undefined {
  const keys = new Map<string, FlatKey>();
  for (const selection of selections) {
    if (selection.kind === 'field') {
      if (selection.selections || selection.key in Object.prototype) return undefined;
      keys.set(selection.name, selection);
    } else if (selection.typeCondition === undefined || types.isSubtype(typename, selection.typeCondition)) {
      const below = flatKeys(selection.selections, typename, types);
      if (!below) return undefined;
      for (const field of below) keys.set(field.name, field);
    }
  }
  return [...keys.values()];
}

function makeLayout(
  fields: readonly FlatKey[],
  { dependents }: FetchStep,
  typename: string,
  types: TypeIndex,
): LayoutDecision {
  const own = fields.filter(({ name }) => name !== '__typename');
  if (own.length === 0) return fields.length === 0 ? 'other type' : 'not flat';
  const start = fields.length === own.length ? '{' : `{"__typename":${JSON.stringify(typename)},`;
  const texts = own.map(({ name }, index) => `${index === 0 ? start : ','}${JSON.stringify(name)}:`);
  const nullable = own.map(
    ({ key, name }) =>
      dependents.some(({ needs }) => needs.includes(key)) &&
      types.fieldType(typename, name)?.nullable !== false,
  );
  return { keys: own.map(({ key }) => key), nullable, texts: [...texts, '}'] };
}
