import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import type { ListSize } from './list-length.ts';

/**
 * How long the lists of introspection are for a schema, by coordinate: those of the schema itself as they are, those of a type
 * or a field as they are on the average of those that have any.
 */
export function introspectionSizes(schema: GraphQLSchema): ReadonlyMap<string, ListSize> {
  const types = Object.values(schema.getTypeMap());
  const fields = types.flatMap(fieldsOf);
  const directives = schema.getDirectives();
  const sizes: Readonly<Record<string, number>> = {
    '__Schema.types': types.length,
    '__Schema.directives': directives.length,
    '__Type.fields': mean(types.map((type) => fieldsOf(type).length)),
    '__Type.inputFields': mean(
      types.map((type) => (isInputObjectType(type) ? Object.keys(type.getFields()).length : 0)),
    ),
    '__Type.enumValues': mean(types.map((type) => (isEnumType(type) ? type.getValues().length : 0))),
    '__Type.interfaces': mean(types.map((type) => interfacesOf(type))),
    '__Type.possibleTypes': mean(types.map((type) => possibleTypesOf(schema, type))),
    '__Field.args': mean(fields.map(({ args }) => args.length)),
    '__Directive.args': mean(directives.map(({ args }) => args.length)),
    '__Directive.locations': mean(directives.map(({ locations }) => locations.length)),
  };
  return new Map(
    Object.entries(sizes).map(([coordinate, assumedSize]) => [
      coordinate,
      { assumedSize, slicingArguments: [], sizedFields: [] },
    ]),
  );
}

function fieldsOf(type: GraphQLNamedType): readonly GraphQLField<unknown, unknown>[] {
  return isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
}

function interfacesOf(type: GraphQLNamedType): number {
  return isObjectType(type) || isInterfaceType(type) ? type.getInterfaces().length : 0;
}

function possibleTypesOf(schema: GraphQLSchema, type: GraphQLNamedType): number {
  return isInterfaceType(type) || isUnionType(type) ? schema.getPossibleTypes(type).length : 0;
}

/** Of those that are not zero, and one at least. */
function mean(counts: readonly number[]): number {
  const some = counts.filter((count) => count > 0);
  return some.length === 0 ? 1 : some.reduce((sum, count) => sum + count, 0) / some.length;
}
