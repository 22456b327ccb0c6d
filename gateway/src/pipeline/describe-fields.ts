import {
  isInterfaceType,
  isObjectType,
  Kind,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
} from 'graphql';
import { readAuthorizationRules } from '../operation/access/authorization-rules.ts';
import { readGraphAnnotations } from '../operation/limits/graph-annotations.ts';
import { GraphCosts } from '../operation/limits/graph-costs.ts';
import type { CostSettings } from '../settings/cost.ts';
import { readFieldOwners } from '../supergraph/field-owners.ts';
import type { AdmittedOperation } from './admitted-operation.ts';

/** What a subgraph's team has said of a field, and where the field comes from. */
export interface FieldDescription {
  readonly subgraphs: readonly string[];
  /** What one object or value of it costs: from `@cost`, else from the settings. */
  readonly weight: number;
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
export function describeFields(
  { operation, supergraph }: Pick<AdmittedOperation, 'operation' | 'supergraph'>,
  settings: CostSettings,
): Readonly<Record<string, FieldDescription>> {
  if (!asksForSchema(operation)) return {};
  const { supergraphSchema, schema } = supergraph;
  const owners = readFieldOwners(supergraphSchema);
  const { fields: rules } = readAuthorizationRules(supergraphSchema);
  const annotations = readGraphAnnotations(supergraph);
  const costs = new GraphCosts({ schema, annotations, settings });
  const types = Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLObjectType | GraphQLInterfaceType =>
      (isObjectType(type) || isInterfaceType(type)) && !type.name.startsWith('__'),
  );
  return Object.fromEntries(
    types.flatMap((type) =>
      Object.values(type.getFields()).map((field) => {
        const coordinate = `${type.name}.${field.name}`;
        const description: FieldDescription = {
          subgraphs: owners.get(coordinate) ?? [],
          weight: costs.of(type, field).weight,
          listSize: annotations.listSizes.get(coordinate),
          ...rules.get(coordinate),
        };
        return [coordinate, description];
      }),
    ),
  );
}

function asksForSchema({ definition }: AdmittedOperation['operation']): boolean {
  return definition.selectionSet.selections.some(
    (selection) => selection.kind === Kind.FIELD && selection.name.value === '__schema',
  );
}
