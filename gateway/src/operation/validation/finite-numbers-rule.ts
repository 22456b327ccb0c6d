import {
  GraphQLError,
  type ASTVisitor,
  type FloatValueNode,
  type IntValueNode,
  type ValidationContext,
} from 'graphql';

/**
 * A validation rule: every number of a document fits a double (IEEE 754), those in custom scalars too. A literal such as
 * `1e400` is well-formed, and would reach the subgraph as something else.
 */
export function FiniteNumbersRule(context: ValidationContext): ASTVisitor {
  const check = (node: FloatValueNode | IntValueNode): void => {
    if (Number.isFinite(Number(node.value))) return;
    context.reportError(new GraphQLError('A number is too large to be represented.', { nodes: node }));
  };
  return { FloatValue: check, IntValue: check };
}
