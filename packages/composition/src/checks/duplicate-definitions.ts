import {
  isTypeDefinitionNode,
  isTypeExtensionNode,
  type ASTNode,
  type DocumentNode,
  type NameNode,
  type TypeDefinitionNode,
  type TypeExtensionNode,
} from 'graphql';
import { ownCodes } from '../diagnostic.ts';
import { locationOf } from '../source-position.ts';
import type { Check, Finding } from './check.ts';

/**
 * Types, fields, input fields and enum values that one schema defines twice. The composer reports the first two kinds
 * without a place and accepts the last in silence.
 */
export const duplicateDefinitions: Check = {
  code: ownCodes.INVALID_GRAPHQL,
  severity: 'error',
  finds: 'A type, field or enum value twice in one schema',
  action: 'Remove one.',
  run: (subgraphs) => [...subgraphs].flatMap(([subgraph, document]) => findDuplicates(document, subgraph)),
};

function findDuplicates(document: DocumentNode, subgraph: string): readonly Finding[] {
  const types = document.definitions.filter(isTypeDefinitionNode);
  const parts = document.definitions.filter(
    (node) => isTypeDefinitionNode(node) || isTypeExtensionNode(node),
  );
  return [
    ...repeated(types.map(({ name }) => ({ coordinate: name.value, name }))),
    ...repeated(parts.flatMap(membersOf)),
  ].map(({ coordinate, names }) => ({
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
