import { GraphQLError, type ASTVisitor, type ValidationContext } from 'graphql';

/**
 * A validation rule: the schema has a root type for each operation of a document. Without one, no other rule looks at its
 * fields.
 *
 * @see GraphQL, September 2025, §5.2.1.1, Operation Type Existence
 */
export function KnownOperationTypesRule(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(node) {
      if (context.getSchema().getRootType(node.operation)) return;
      context.reportError(
        new GraphQLError(`The schema has no operations of the type "${node.operation}".`, { nodes: node }),
      );
    },
  };
}
