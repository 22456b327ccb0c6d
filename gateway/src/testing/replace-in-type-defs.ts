import { parse, print, type DocumentNode } from 'graphql';

/**
 * Type definitions with another text in a place.
 *
 * @param wanted as graphql-js prints it: one field a line
 */
export function replaceInTypeDefs(typeDefs: DocumentNode, wanted: string, text: string): DocumentNode {
  return parse(print(typeDefs).replace(wanted, text));
}
