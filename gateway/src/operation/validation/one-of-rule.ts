import {
  getNullableType,
  GraphQLError,
  isInputObjectType,
  isNonNullType,
  Kind,
  type ValidationRule,
  type VariableDefinitionNode,
} from 'graphql';

/**
 * A variable that is the field of a `@oneOf` input is non-null. graphql-js 16 looks only at positions that are nullable
 * themselves: `user(by: UserBy!)` is not one.
 *
 * @see GraphQL, September 2025, §5.8.5, "All Variable Usages Are Allowed"
 */
export const OneOfVariablesRule: ValidationRule = (context) => {
  const definitions = new Map<string, VariableDefinitionNode>();
  return {
    OperationDefinition: {
      enter: () => definitions.clear(),
      leave(operation) {
        for (const { node, parentType } of context.getRecursiveVariableUsages(operation)) {
          const definition = definitions.get(node.name.value);
          if (!isNonNullType(parentType) || definition?.type.kind === Kind.NON_NULL_TYPE) continue;
          const input = getNullableType(parentType);
          if (!definition || !isInputObjectType(input) || !input.isOneOf) continue;
          const message = `Variable "$${node.name.value}" must be non-null for the @oneOf input "${input.name}".`;
          context.reportError(new GraphQLError(message, { nodes: [definition, node] }));
        }
      },
    },
    VariableDefinition: (node) => void definitions.set(node.variable.name.value, node),
  };
};
