import {
  GraphQLError,
  Kind,
  type DocumentNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
} from 'graphql';
import { RequestError } from '../../errors.ts';

/** The fragments of a document, by name. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** Finds the fragments of a document; of two with one name, which validation rejects, the last. */
export function fragmentsOf(document: DocumentNode): Fragments {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  return fragments;
}

/** Rejects a fragment that spreads itself, with the words that validation has for it. */
export function fragmentCycle(spread: FragmentSpreadNode): RequestError {
  const message = `Cannot spread fragment "${spread.name.value}" within itself.`;
  return new RequestError([
    new GraphQLError(message, { nodes: spread, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }),
  ]);
}
