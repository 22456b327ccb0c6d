import { isInputObjectType, type GraphQLSchema } from 'graphql';

/** The input objects that became `@oneOf`. graphql-js does not compare it. */
export function findNewlyOneOf(before: GraphQLSchema, after: GraphQLSchema): readonly string[] {
  return Object.values(after.getTypeMap())
    .filter((type) => isInputObjectType(type) && type.isOneOf)
    .map(({ name }) => name)
    .filter((name) => {
      const former = before.getType(name);
      return isInputObjectType(former) && !former.isOneOf;
    });
}
