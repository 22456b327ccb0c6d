import { print, type ASTNode } from 'graphql';

/** As it was written, where that is known: what was parsed is not changed before it is planned. */
export function nodeText(node: ASTNode): string {
  const { loc } = node;
  return loc ? loc.source.body.slice(loc.start, loc.end) : print(node);
}
