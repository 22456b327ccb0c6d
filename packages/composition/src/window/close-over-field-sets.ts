import { own } from '@trellis/runtime/own-property';
import {
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import { parseFieldSet } from '../changes/field-set.ts';
import type { GraphStructure } from '../changes/graph-structure.ts';

/**
 * Adds the types whose plans depend on what is concerned: keys and requirements of theirs lead through it.
 *
 * @param schema of the whole supergraph
 */
export function closeOverFieldSets(
  concerned: ReadonlySet<string>,
  structure: GraphStructure,
  schema: GraphQLSchema,
): ReadonlySet<string> {
  const through = typesOfFieldSets(structure, schema);
  const all = new Set(concerned);
  for (let size = -1; size !== all.size;) {
    size = all.size;
    for (const [type, others] of through)
      if (!all.has(type) && others.some((other) => all.has(other))) all.add(type);
  }
  return all;
}

/** By type, those that its keys and requirements lead through. */
function typesOfFieldSets(
  structure: GraphStructure,
  schema: GraphQLSchema,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  const add = (type: string, text: string | undefined): void => {
    if (text === undefined || !/[{(]/.test(text)) return; // plain fields of the type itself
    const set = parseFieldSet(text);
    const names = found.get(type) ?? new Set<string>();
    found.set(type, names);
    if (set) collect(set, type, schema, names);
  };
  for (const [type, subgraphs] of structure.types)
    for (const { keys } of subgraphs.values()) for (const key of keys.keys()) add(type, key);
  for (const [coordinate, subgraphs] of structure.fields)
    for (const { requires, provides } of subgraphs.values()) {
      add(coordinate.split('.')[0] ?? '', requires);
      add(coordinate.split('.')[0] ?? '', provides);
    }
  return new Map([...found].map(([type, names]) => [type, [...names]]));
}

function collect(
  { selections }: SelectionSetNode,
  typeName: string,
  schema: GraphQLSchema,
  names: Set<string>,
): void {
  for (const node of selections) {
    if (node.kind === Kind.INLINE_FRAGMENT) {
      const name = node.typeCondition?.name.value ?? typeName;
      names.add(name);
      collect(node.selectionSet, name, schema, names);
    }
    if (node.kind !== Kind.FIELD || !node.selectionSet) continue;
    const type = schema.getType(typeName);
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    const field = own(type.getFields(), node.name.value);
    if (!field) continue;
    const { name } = getNamedType(field.type);
    names.add(name);
    collect(node.selectionSet, name, schema, names);
  }
}
