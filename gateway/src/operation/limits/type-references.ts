import {
  getNamedType,
  getNullableType,
  isListType,
  isNonNullType,
  type GraphQLNamedType,
  type GraphQLType,
} from 'graphql';

/** Types by how often they are meant: by the number of lists and non-nulls around them. */
export type References = readonly ReadonlyMap<GraphQLNamedType, number>[];
/** Types by how often they are meant. */
export type Members = ReadonlyMap<GraphQLNamedType, number>;

/** Counts what some fields, arguments or input fields refer to, each so many times. */
export function referencesTo(typed: Iterable<readonly [{ readonly type: GraphQLType }, number]>): References {
  const layers: Map<GraphQLNamedType, number>[] = [];
  for (const [{ type }, count] of typed) {
    const wrappers = wrappersOf(type);
    while (layers.length <= wrappers) layers.push(new Map<GraphQLNamedType, number>());
    const named = getNamedType(type);
    layers[wrappers]?.set(named, (layers[wrappers].get(named) ?? 0) + count);
  }
  return layers;
}

/** Lists and non-nulls around a type: each is an object of introspection. */
function wrappersOf(type: GraphQLType): number {
  if (isNonNullType(type)) return 1 + wrappersOf(getNullableType(type));
  return isListType(type) ? 1 + wrappersOf(type.ofType) : 0;
}

/** Each of some values, once. */
export function weightOne<Value>(values: readonly Value[]): readonly (readonly [Value, number])[] {
  return values.map((value) => [value, 1]);
}

/** Each of some types, once. */
export function countEach(types: readonly GraphQLNamedType[]): Members {
  return new Map(weightOne(types));
}
