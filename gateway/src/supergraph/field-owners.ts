import type { InterfaceType, NamedType, ObjectType, Schema } from '@apollo/federation-internals';
import { appliedArguments, JOIN_IDENTITY, linkedDirectives } from './linked-directives.ts';
import { federationInternals } from './apollo-packages.ts';

/**
 * Reads which subgraphs resolve each field of a supergraph, by coordinate. A field without a mark of its own is resolved by all
 * subgraphs that have its type.
 *
 * @see Join specification, @join__field, @join__type
 */
export function readFieldOwners(schema: Schema): ReadonlyMap<string, readonly string[]> {
  const names = readGraphNames(schema);
  const [joinType, joinField] = ['type', 'field'].map((name) =>
    linkedDirectives(schema, name, JOIN_IDENTITY),
  );
  const nameOf = ({ graph }: Readonly<Record<string, unknown>>): string[] => {
    const name = names.get(String(graph));
    return name === undefined ? [] : [name];
  };
  const owners = new Map<string, readonly string[]>();
  for (const type of schema.types()) {
    const ofType = appliedArguments(type, joinType ?? []).flatMap(nameOf);
    for (const field of fieldsOf(type)) {
      const marks = appliedArguments(field, joinField ?? []);
      const resolving = marks.filter(
        ({ external, usedOverridden }) => external !== true && usedOverridden !== true,
      );
      const own = resolving.flatMap(nameOf);
      owners.set(field.coordinate, [...new Set(own.length > 0 ? own : ofType)]);
    }
  }
  return owners;
}

function fieldsOf(
  type: NamedType,
): readonly (ReturnType<ObjectType['fields']>[number] | ReturnType<InterfaceType['fields']>[number])[] {
  return type instanceof federationInternals.ObjectType || type instanceof federationInternals.InterfaceType
    ? type.fields()
    : [];
}

/** Names as teams gave them, by the values that stand for them. */
function readGraphNames(schema: Schema): ReadonlyMap<string, string> {
  const graph = schema
    .types()
    .find((type) => type instanceof federationInternals.EnumType && /^join__Graph$/.test(type.name));
  const directives = linkedDirectives(schema, 'graph', JOIN_IDENTITY);
  const values = graph instanceof federationInternals.EnumType ? graph.values : [];
  return new Map(
    values.map((value) => [value.name, String(appliedArguments(value, directives)[0]?.['name'])]),
  );
}
