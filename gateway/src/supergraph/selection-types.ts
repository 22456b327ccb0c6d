import {
  getNamedType,
  isCompositeType,
  isObjectType,
  isInterfaceType,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  type InlineFragmentNode,
  type OperationDefinitionNode,
} from 'graphql';

/** The type at the root of an operation. */
export function rootTypeOf(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
): GraphQLCompositeType | undefined {
  return schema.getRootType(operation.operation) ?? undefined;
}

/** The definition of a selected field; absent for `__typename`, `__schema`, `__type`. */
export function fieldDefinitionOf(
  parent: GraphQLCompositeType | undefined,
  field: FieldNode,
): GraphQLField<unknown, unknown> | undefined {
  if (!isObjectType(parent) && !isInterfaceType(parent)) return undefined;
  const fields = parent.getFields(); // an object without prototype
  return fields[field.name.value];
}

/** The type below a selected field; absent for leaves. */
export function fieldTypeOf(
  schema: GraphQLSchema,
  parent: GraphQLCompositeType | undefined,
  field: FieldNode,
): GraphQLCompositeType | undefined {
  const definition = fieldDefinitionOf(parent, field);
  const type = definition && schema.getType(getNamedType(definition.type).name);
  return isCompositeType(type) ? type : undefined;
}

/** The type that a fragment's selections are made on. */
export function fragmentTypeOf(
  schema: GraphQLSchema,
  fragment: FragmentDefinitionNode | InlineFragmentNode | undefined,
  parent: GraphQLCompositeType | undefined,
): GraphQLCompositeType | undefined {
  if (!fragment?.typeCondition) return parent;
  const type = schema.getType(fragment.typeCondition.name.value);
  return isCompositeType(type) ? type : undefined;
}

/** `__schema` and `__type`: what is below them is exempt from depth and cost. */
export function isIntrospectionRoot(field: FieldNode): boolean {
  return field.name.value === '__schema' || field.name.value === '__type';
}
