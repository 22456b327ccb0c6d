import { own } from '@trellis/runtime/own-property';
import {
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
} from 'graphql';

/** A field of a version of a subgraph that a plan asks for. */
export interface AskedField {
  readonly parent: GraphQLNamedType;
  readonly field: GraphQLField<unknown, unknown>;
  readonly schema: GraphQLSchema;
  /** What the plan was made from. */
  readonly supergraph: GraphQLSchema;
}

/** Why what a field returns is not what the plan expects. Undefined: it is. */
export function responseProblem(asked: AskedField): string | undefined {
  const { parent, field, schema, supergraph } = asked;
  const type = supergraph.getType(rootName(parent, schema, supergraph));
  if (!isObjectType(type) && !isInterfaceType(type)) return undefined;
  const expected = own(type.getFields(), field.name);
  if (!expected) return undefined;
  const coordinate = `${parent.name}.${field.name}`;
  const difference = wrapping(field.type, expected.type);
  if (difference !== undefined) return `${coordinate} ${difference}.`;
  return namedProblem(coordinate, getNamedType(field.type), getNamedType(expected.type), asked);
}

function rootName(parent: GraphQLNamedType, schema: GraphQLSchema, supergraph: GraphQLSchema): string {
  if (parent === schema.getQueryType()) return supergraph.getQueryType()?.name ?? parent.name;
  if (parent === schema.getMutationType()) return supergraph.getMutationType()?.name ?? parent.name;
  if (parent === schema.getSubscriptionType()) return supergraph.getSubscriptionType()?.name ?? parent.name;
  return parent.name;
}

function wrapping(returned: GraphQLType, expected: GraphQLType): string | undefined {
  if (isNonNullType(expected) && !isNonNullType(returned)) return 'may be null';
  const [inner, other] = [getNullableType(returned), getNullableType(expected)];
  if (isListType(inner) !== isListType(other)) return `returns ${String(returned)}, not ${String(expected)}`;
  return isListType(inner) && isListType(other) ? wrapping(inner.ofType, other.ofType) : undefined;
}

function namedProblem(
  coordinate: string,
  returned: GraphQLNamedType,
  expected: GraphQLNamedType,
  { schema, supergraph }: AskedField,
): string | undefined {
  if (isLeafType(returned) && returned.name !== expected.name)
    return `${coordinate} returns ${returned.name}, not ${expected.name}.`;
  if (isEnumType(returned) && isEnumType(expected)) {
    const value = returned.getValues().find(({ name }) => !expected.getValue(name));
    return value && `${coordinate} may return ${returned.name}.${value.name}.`;
  }
  if (isLeafType(returned) || isLeafType(expected))
    return isLeafType(returned) === isLeafType(expected)
      ? undefined
      : `${coordinate} returns ${returned.name}.`;
  const unknown = possible(returned, schema).find((name) => !isExpected(name, expected, supergraph));
  return unknown === undefined ? undefined : `${coordinate} may return ${unknown}.`;
}

function possible(type: GraphQLNamedType, schema: GraphQLSchema): readonly string[] {
  return isAbstractType(type) ? schema.getPossibleTypes(type).map(({ name }) => name) : [type.name];
}

/** A subgraph may take an interface for an object (`@interfaceObject`): then it has the interface's name. */
function isExpected(name: string, expected: GraphQLNamedType, supergraph: GraphQLSchema): boolean {
  if (name === expected.name) return true;
  const type = supergraph.getType(name);
  if (!isAbstractType(expected)) return false;
  if (isObjectType(type)) return supergraph.isSubType(expected, type);
  return isInterfaceType(type) && supergraph.isSubType(expected, type);
}
