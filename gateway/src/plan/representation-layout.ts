import type { TypeIndex } from '../supergraph/type-index.ts';
import type { FetchFields, RequiredSelection } from './fetch-fields.ts';

/** How objects of one type are represented. */
export interface RepresentationLayout {
  /** Where values are read. */
  readonly keys: readonly string[];
  /** Which of the values may be null: none that the key is made of. */
  readonly nullable: readonly boolean[];
  /** The JSON text before each value, and after the last. */
  readonly texts: readonly string[];
}

/** `not flat`: more than plain values is required of such objects. `other type`: the fetch is not for them. */
export type LayoutDecision = RepresentationLayout | 'other type' | 'not flat';

/** Lays out the representations of objects of a type, where all that is required of them is plain values. */
export function layoutFor(fetch: FetchFields, typename: string, types: TypeIndex): LayoutDecision {
  if (fetch.inputRewrites.length > 0) return 'not flat';
  const keys = flatKeys(fetch.requires ?? [], typename, types);
  return keys === undefined ? 'not flat' : makeLayout(keys, fetch, typename, types);
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
  { dependents }: FetchFields,
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
