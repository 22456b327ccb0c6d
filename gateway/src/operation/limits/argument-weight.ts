import {
  getNamedType,
  isInputObjectType,
  valueFromASTUntyped,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
} from 'graphql';
import type { Cost } from './cost-term.ts';
import type { GraphAnnotations } from './graph-annotations.ts';

/** What {@link compileArgumentWeight} reads. */
export interface ArgumentWeightRequest {
  readonly annotations: GraphAnnotations;
  readonly parent: GraphQLCompositeType;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly field: FieldNode;
}

/**
 * What the arguments of a field cost by their `@cost`: of the argument or its type, and of each input field within, as
 * often as it is given. Zero where the supergraph weighs no inputs, which is the rule.
 */
export function compileArgumentWeight({
  annotations,
  parent,
  definition,
  field,
}: ArgumentWeightRequest): Cost {
  const given = field.arguments ?? [];
  if (!annotations.inputsHaveWeights || given.length === 0) return 0;
  return ({ variables }) => {
    let total = 0;
    for (const { name, value } of given) {
      const argument = definition.args.find((candidate) => candidate.name === name.value);
      if (!argument) continue;
      const coordinate = `${parent.name}.${definition.name}(${argument.name}:)`;
      total += annotations.weights.get(coordinate) ?? 0;
      total += weightOfValue(valueFromASTUntyped(value, variables), argument.type, annotations);
    }
    return total;
  };
}

function weightOfValue(value: unknown, type: GraphQLInputType, annotations: GraphAnnotations): number {
  if (value === null || value === undefined) return 0;
  if (Array.isArray(value))
    return value.reduce<number>((total, item) => total + weightOfValue(item, type, annotations), 0);
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return annotations.weights.get(named.name) ?? 0;
  if (typeof value !== 'object') return 0;
  const members = value as Readonly<Record<string, unknown>>; // not null, not an array
  return Object.values(named.getFields())
    .filter((field) => Object.hasOwn(members, field.name))
    .reduce(
      (total, field) =>
        total +
        (annotations.weights.get(`${named.name}.${field.name}`) ?? 0) +
        weightOfValue(members[field.name], field.type, annotations),
      0,
    );
}
