import {
  isAbstractType,
  isInterfaceType,
  isObjectType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';

/**
 * What is annotated on a field, for each type that its object may turn out to have: what the type says itself, else what the
 * interface says that the field is selected on. Undefined for a type of which neither says anything.
 */
export function annotationsOf<Value>(
  schema: GraphQLSchema,
  parent: GraphQLNamedType,
  field: string,
  annotations: ReadonlyMap<string, Value>,
): readonly (Value | undefined)[] {
  const inherited = annotations.get(`${parent.name}.${field}`);
  const all = typesAt(schema, parent).map((type) => annotations.get(`${type}.${field}`) ?? inherited);
  return [...new Set([...all, ...(inherited === undefined ? [] : [inherited])])];
}

/** The object types that something may turn out to be. A type without any, or a leaf, stands for itself. */
export function typesAt(schema: GraphQLSchema, type: GraphQLNamedType): readonly string[] {
  const possible = isAbstractType(type) ? schema.getPossibleTypes(type).map(({ name }) => name) : [];
  return possible.length > 0 ? possible : [type.name];
}

/** Whether a type is a connection: its lists are what the field that returns it was asked for. Relay Cursor Connections §2. */
export function isConnection(type: GraphQLNamedType): boolean {
  if (!isObjectType(type) && !isInterfaceType(type)) return false;
  return type.name.endsWith('Connection') || 'pageInfo' in type.getFields();
}
