import {
  isTypeDefinitionNode,
  isTypeExtensionNode,
  Kind,
  type DocumentNode,
  type FieldDefinitionNode,
} from 'graphql';
import { locationOf } from '../source-position.ts';
import type { Check, Finding, SubgraphDocuments } from './check.ts';

/**
 * Root fields that several Federation 1 subgraphs define. Federation 2 rejects this unless every definition is
 * @shareable; for Federation 1 the composer shares such fields in silence, so that any of the subgraphs may be asked.
 */
export const sharedRootFields: Check = {
  code: 'SHARED_ROOT_FIELD',
  severity: 'hint',
  finds: 'The same root field in several Federation 1 subgraphs: any of them may be asked',
  action: 'Rename one, or move to Federation 2.',
  run: findSharedRootFields,
};

function findSharedRootFields(documents: SubgraphDocuments): readonly Finding[] {
  const definitions = new Map<string, { subgraph: string; field: FieldDefinitionNode }[]>();
  for (const [subgraph, document] of documents)
    if (!linksFederation2(document))
      for (const { coordinate, field } of rootFields(document))
        definitions.set(coordinate, [...(definitions.get(coordinate) ?? []), { subgraph, field }]);
  return [...definitions]
    .filter(([, places]) => new Set(places.map(({ subgraph }) => subgraph)).size > 1)
    .map(([coordinate, places]) => ({
      message: `${coordinate} is defined by ${places.map(({ subgraph }) => `"${subgraph}"`).join(' and ')}: any of them may be asked for it. Rename it, or move the subgraphs to Federation 2 and say @shareable where that is meant.`,
      locations: places.map(({ field }) => locationOf(field)).filter((location) => location !== undefined),
    }));
}

const rootTypes: ReadonlySet<string> = new Set(['Query', 'Mutation', 'Subscription']);

function rootFields(document: DocumentNode): { coordinate: string; field: FieldDefinitionNode }[] {
  return document.definitions
    .filter((node) => isTypeDefinitionNode(node) || isTypeExtensionNode(node))
    .filter((node) => node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.OBJECT_TYPE_EXTENSION)
    .filter(({ name }) => rootTypes.has(name.value))
    .flatMap(({ name, fields = [] }) =>
      fields.map((field) => ({ coordinate: `${name.value}.${field.name.value}`, field })),
    );
}

function linksFederation2(document: DocumentNode): boolean {
  return document.definitions
    .filter((node) => node.kind === Kind.SCHEMA_DEFINITION || node.kind === Kind.SCHEMA_EXTENSION)
    .flatMap(({ directives = [] }) => directives)
    .flatMap(({ arguments: args = [] }) => args)
    .some(({ value }) => value.kind === Kind.STRING && /\/federation\/v2/.test(value.value));
}
