import { GraphQLError, Kind, parse, Token, visit, type ASTNode } from 'graphql';
import { describe, expect, it } from 'vitest';
import { forgetTokens } from './parse-operation.ts';

const EVERY_KIND = `
  query All($id: ID! = "1" @a(b: 1), $ids: [[Int!]!]! = [[1]], $input: In = { deep: { x: 1.5, e: RED, n: null } }) @c(d: true) {
    first: user(id: $id, list: [$ids, "text", """block"""], input: { x: $input }) @skip(if: false) {
      ...Part @include(if: true)
      ... on User @defer { name }
      ... @defer { name }
    }
  }
  fragment Part on User @e(f: [true]) { id }
  mutation Other { write }`;

/** All that is reachable from a node, itself included. */
function* reachable(value: unknown, seen: Set<unknown> = new Set()): Generator {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  yield value;
  for (const member of Object.values(value)) yield* reachable(member, seen);
}

describe('A document that is remembered', () => {
  it('has no token of its text, wherever in it', () => {
    const document = parse(EVERY_KIND);
    expect([...reachable(document)].some((value) => value instanceof Token)).toBe(true);
    forgetTokens(document);
    expect([...reachable(document)].filter((value) => value instanceof Token)).toEqual([]);
  });

  it('knows of fields and variables where they are, and of nothing else', () => {
    const retained = new Set<string>();
    const document = parse(EVERY_KIND);
    forgetTokens(document);
    const enter = (node: ASTNode): void => {
      if (node.loc) retained.add(node.kind);
    };
    visit(document, { enter });
    expect([...retained].toSorted()).toEqual([Kind.FIELD, Kind.VARIABLE_DEFINITION]);
    const [operation] = document.definitions;
    const [field] = operation?.kind === Kind.OPERATION_DEFINITION ? operation.selectionSet.selections : [];
    expect(new GraphQLError('wrong', { nodes: field ?? null }).locations).toEqual([{ line: 3, column: 5 }]);
  });
});
