import {
  isTypeDefinitionNode,
  isTypeExtensionNode,
  Kind,
  type DefinitionNode,
  type DocumentNode,
  type OperationTypeDefinitionNode,
  type TypeDefinitionNode,
  type TypeExtensionNode,
} from 'graphql';

type TypeNode = TypeDefinitionNode | TypeExtensionNode;

/** Each type of a schema as one definition, its extensions included, by name. */
export function mergeDefinitions(document: DocumentNode): ReadonlyMap<string, TypeDefinitionNode> {
  const parts = new Map<string, TypeNode[]>();
  for (const node of document.definitions) {
    if (!isTypeDefinitionNode(node) && !isTypeExtensionNode(node)) continue;
    const known = parts.get(node.name.value);
    if (known) known.push(node);
    else parts.set(node.name.value, [node]);
  }
  return new Map([...parts].map(([name, nodes]) => [name, merge(nodes)]));
}

const DEFINITIONS = {
  [Kind.SCALAR_TYPE_EXTENSION]: Kind.SCALAR_TYPE_DEFINITION,
  [Kind.OBJECT_TYPE_EXTENSION]: Kind.OBJECT_TYPE_DEFINITION,
  [Kind.INTERFACE_TYPE_EXTENSION]: Kind.INTERFACE_TYPE_DEFINITION,
  [Kind.UNION_TYPE_EXTENSION]: Kind.UNION_TYPE_DEFINITION,
  [Kind.ENUM_TYPE_EXTENSION]: Kind.ENUM_TYPE_DEFINITION,
  [Kind.INPUT_OBJECT_TYPE_EXTENSION]: Kind.INPUT_OBJECT_TYPE_DEFINITION,
} as const;

function merge(nodes: readonly TypeNode[]): TypeDefinitionNode {
  const [first] = nodes;
  if (!first) throw new TypeError('A type has one node at least.');
  const kind = isTypeDefinitionNode(first) ? first.kind : DEFINITIONS[first.kind];
  const all = (member: 'fields' | 'values' | 'types' | 'interfaces' | 'directives'): readonly unknown[] =>
    nodes.flatMap((node): readonly unknown[] =>
      member in node
        ? ((node as unknown as Record<string, readonly unknown[] | undefined>)[member] ?? [])
        : [],
    ); // a member of nodes of this kind
  return {
    kind,
    name: first.name,
    fields: all('fields'),
    values: all('values'),
    types: all('types'),
    interfaces: all('interfaces'),
    directives: all('directives'),
  } as unknown as TypeDefinitionNode; // members that its kind does not have are not read
}

/** The root types that a schema names itself, extensions of it included. */
export function operationTypesOf(
  definitions: readonly DefinitionNode[],
): readonly OperationTypeDefinitionNode[] {
  return definitions
    .filter((node) => node.kind === Kind.SCHEMA_DEFINITION || node.kind === Kind.SCHEMA_EXTENSION)
    .flatMap(({ operationTypes = [] }) => operationTypes);
}
