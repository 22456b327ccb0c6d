import {
  isCompositeType,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  type InlineFragmentNode,
  type OperationDefinitionNode,
} from 'graphql';
import { SERVICE_FIELD } from './service-introspection.ts';

/** The type at the root of an operation. */
export function rootTypeOf(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
): GraphQLCompositeType | undefined {
  return schema.getRootType(operation.operation) ?? undefined;
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

/** `__schema`, `__type` and `__service`: what is below them is exempt from depth and cost. */
export function isIntrospectionRoot(field: FieldNode): boolean {
  const name = field.name.value;
  return name === '__schema' || name === '__type' || name === SERVICE_FIELD;
}
