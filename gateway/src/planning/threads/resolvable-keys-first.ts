import { Kind, type ConstDirectiveNode, type DefinitionNode, type DocumentNode } from 'graphql';

/**
 * Orders the keys of each type so that those that a subgraph resolves come first. For a field that requires something, the
 * planner goes back to the subgraph with the first key that is declared there, resolvable or not: the subgraph would be
 * sent a key that it has said it can't resolve. The others stay: values are still read from them.
 *
 * @returns the same document where all keys are resolvable
 */
export function resolvableKeysFirst(document: DocumentNode): DocumentNode {
  const definitions = document.definitions.map(withOrderedKeys);
  const isChanged = definitions.some((definition, index) => definition !== document.definitions[index]);
  return isChanged ? { ...document, definitions } : document;
}

function withOrderedKeys(type: DefinitionNode): DefinitionNode {
  if (type.kind !== Kind.OBJECT_TYPE_DEFINITION && type.kind !== Kind.INTERFACE_TYPE_DEFINITION) return type;
  const { directives = [] } = type;
  if (!directives.some(isUnresolvableKey)) return type;
  const ordered = directives.toSorted(
    (left, right) => Number(isUnresolvableKey(left)) - Number(isUnresolvableKey(right)),
  );
  return { ...type, directives: ordered };
}

function isUnresolvableKey({ name, arguments: values = [] }: ConstDirectiveNode): boolean {
  if (name.value !== 'join__type') return false;
  const resolvable = values.find((argument) => argument.name.value === 'resolvable')?.value;
  return resolvable?.kind === Kind.BOOLEAN && !resolvable.value;
}
