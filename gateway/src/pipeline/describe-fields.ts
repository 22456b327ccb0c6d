import { isInterfaceType, isObjectType, Kind } from 'graphql';
import { readAuthorizationRules } from '../operation/access/authorization-rules.ts';
import { readGraphAnnotations } from '../operation/limits/graph-annotations.ts';
import { readFieldOwners } from '../supergraph/field-owners.ts';
import type { AdmittedOperation } from './admitted-operation.ts';

/** What a subgraph's team has said of a field, and where the field comes from. */
export interface FieldDescription {
  readonly subgraphs: readonly string[];
  /** From `@cost`. */
  readonly weight?: number | undefined;
  /** From `@listSize`. */
  readonly listSize?: object | undefined;
  readonly authenticated?: boolean;
  readonly scopes?: readonly unknown[];
  readonly policies?: readonly unknown[];
}

/**
 * Describes the fields that clients see, by coordinate, to a client that has asked for the schema and got it: admission decides
 * who may. Nothing otherwise.
 */
export function describeFields({
  operation,
  supergraph,
}: Pick<AdmittedOperation, 'operation' | 'supergraph'>): Readonly<Record<string, FieldDescription>> {
  if (!asksForSchema(operation)) return {};
  const { supergraphSchema, schema } = supergraph;
  const owners = readFieldOwners(supergraphSchema);
  const { fields: rules } = readAuthorizationRules(supergraphSchema);
  const { weights, listSizes } = readGraphAnnotations(supergraph);
  const coordinates = Object.values(schema.getTypeMap())
    .filter((type) => (isObjectType(type) || isInterfaceType(type)) && !type.name.startsWith('__'))
    .flatMap((type) =>
      ('getFields' in type ? Object.keys(type.getFields()) : []).map((field) => `${type.name}.${field}`),
    );
  return Object.fromEntries(
    coordinates.map((coordinate) => [
      coordinate,
      {
        subgraphs: owners.get(coordinate) ?? [],
        weight: weights.get(coordinate),
        listSize: listSizes.get(coordinate),
        ...rules.get(coordinate),
      },
    ]),
  );
}

function asksForSchema({ definition }: AdmittedOperation['operation']): boolean {
  return definition.selectionSet.selections.some(
    (selection) => selection.kind === Kind.FIELD && selection.name.value === '__schema',
  );
}
