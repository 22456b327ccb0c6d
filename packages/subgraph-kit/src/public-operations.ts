import { Kind, parse, type DefinitionNode, type SelectionNode } from 'graphql';

/** Root fields without user data: the schema to compose, and a health check. */
const PUBLIC_FIELDS: ReadonlySet<string> = new Set(['_service', '__typename']);

/** Such operations are short; longer ones are not even read. */
const MAX_TOKENS = 40;

/** Whether a request's operation consists of `_service` and `__typename` alone, so that it needs no user context. */
export function isPublicOperation(query: unknown): boolean {
  if (typeof query !== 'string') return false;
  try {
    return parse(query, { maxTokens: MAX_TOKENS, noLocation: true }).definitions.every(isPublicDefinition);
  } catch {
    return false; // it does not parse, or is too long: not one of these
  }
}

function isPublicDefinition(definition: DefinitionNode): boolean {
  return (
    definition.kind === Kind.OPERATION_DEFINITION && definition.selectionSet.selections.every(isPublicField)
  );
}

function isPublicField(selection: SelectionNode): boolean {
  return selection.kind === Kind.FIELD && PUBLIC_FIELDS.has(selection.name.value);
}
