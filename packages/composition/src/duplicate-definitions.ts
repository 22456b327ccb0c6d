import {
  isTypeDefinitionNode,
  isTypeExtensionNode,
  type ASTNode,
  type DocumentNode,
  type NameNode,
  type TypeDefinitionNode,
  type TypeExtensionNode,
} from 'graphql';
import { ownCodes, type Diagnostic } from './diagnostic.ts';
import { locationOf } from './source-position.ts';

/**
 * Types, fields, input fields and enum values that one schema defines twice. The composer reports the first two kinds
 * without a place and accepts the last in silence.
 */
export function findDuplicateDefinitions(document: DocumentNode, subgraph: string): readonly Diagnostic[] {
  const types = document.definitions.filter(isTypeDefinitionNode);
  const parts = document.definitions.filter(
    (node) => isTypeDefinitionNode(node) || isTypeExtensionNode(node),
  );
  return [
    ...repeated(types.map(({ name }) => ({ coordinate: name.value, name }))),
    ...repeated(parts.flatMap(membersOf)),
  ].map(({ coordinate, names }) => ({
    code: ownCodes.INVALID_GRAPHQL,
    message: `[${subgraph}] ${coordinate} is defined ${names.length} times.`,
    locations: names.map(locationOf).filter((location) => location !== undefined),
  }));
}

interface Named {
  readonly coordinate: string;
  readonly name: NameNode;
}

function membersOf(node: TypeDefinitionNode | TypeExtensionNode): readonly Named[] {
  const fields = 'fields' in node ? (node.fields ?? []) : [];
  const values = 'values' in node ? (node.values ?? []) : [];
  const members: readonly (ASTNode & { readonly name: NameNode })[] = [...fields, ...values];
  return members.map(({ name }) => ({ coordinate: `${node.name.value}.${name.value}`, name }));
}

function repeated(named: readonly Named[]): { coordinate: string; names: NameNode[] }[] {
  const byCoordinate = new Map<string, NameNode[]>();
  for (const { coordinate, name } of named)
    byCoordinate.set(coordinate, [...(byCoordinate.get(coordinate) ?? []), name]);
  return [...byCoordinate]
    .filter(([, names]) => names.length > 1)
    .map(([coordinate, names]) => ({ coordinate, names }));
}
