import { Kind, parse, visit, type ASTNode } from 'graphql';

/**
 * Where a literal stands in its operation: the argument and the input fields that lead to it, dotted, as `input.publishedAt`.
 *
 * @param literal a node of a document that was parsed with its locations
 * @returns undefined for a node that is no argument's value
 */
export function fieldOfLiteral({ loc }: ASTNode): string | undefined {
  if (!loc) return undefined;
  let field: string | undefined;
  const names: string[] = [];
  visit(parse(loc.source), {
    enter: (node) => {
      if (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD) names.push(node.name.value);
      else if (names.length > 0 && node.loc?.start === loc.start && node.loc.end === loc.end)
        field ??= names.join('.');
    },
    leave: (node) => {
      if (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD) names.pop();
    },
  });
  return field;
}
