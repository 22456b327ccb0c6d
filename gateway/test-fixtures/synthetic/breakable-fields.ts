import {
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import type { RunningGraph } from './start-graph.ts';

/**
 * Fields that may fail: none that a key or a requirement is made of. Where one of those fails the gateway says so at the
 * fields that need it, and the whole executor, which needs none, has nothing to say.
 */
export function breakableFields(graph: RunningGraph): ReadonlySet<string> {
  const names = new Set<string>();
  for (const type of Object.values(graph.supergraph.schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) names.add(field.name);
  }
  for (const name of graph.world.namesInFieldSets) names.delete(name);
  for (const name of requiredFieldsOfInterfaceObjects(graph)) names.delete(name);
  return names;
}

/**
 * A subgraph that takes an interface for an object is asked for what any of its types is asked for. Where such a field
 * must not be null, its failure, or that of a required field below it, takes along the object's other fields from that
 * subgraph.
 */
function requiredFieldsOfInterfaceObjects(graph: RunningGraph): readonly string[] {
  const { interfaceObjects } = graph.supergraph.hints;
  const { schema } = graph.supergraph;
  return [...interfaceObjects].flatMap((name) => {
    const type = schema.getType(name);
    return isInterfaceType(type) ? requiredFields(schema, type, new Set([type])) : [];
  });
}

/** Names of fields of a type, and below it, whose failure takes along the object of that type. */
function requiredFields(
  schema: GraphQLSchema,
  type: GraphQLObjectType | GraphQLInterfaceType,
  seen: Set<GraphQLNamedType>,
): readonly string[] {
  return Object.values(type.getFields()).flatMap((field) =>
    isNonNullType(field.type)
      ? [field.name, ...requiredBelow(schema, objectThatMustBe(field.type), seen)]
      : [],
  );
}

function requiredBelow(
  schema: GraphQLSchema,
  type: GraphQLNamedType | undefined,
  seen: Set<GraphQLNamedType>,
): readonly string[] {
  if (!type || seen.has(type)) return [];
  seen.add(type);
  if (isAbstractType(type))
    return schema.getPossibleTypes(type).flatMap((member) => requiredBelow(schema, member, seen));
  return isObjectType(type) ? requiredFields(schema, type, seen) : [];
}

/** The type of what stands there, unless something above it may be null instead. */
function objectThatMustBe(type: GraphQLOutputType): GraphQLNamedType | undefined {
  if (!isNonNullType(type)) return undefined;
  return isListType(type.ofType) ? objectThatMustBe(type.ofType.ofType) : getNamedType(type);
}
