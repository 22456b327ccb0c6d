import { getNullableType, isListType, isNonNullType, type GraphQLType } from 'graphql';

/** How a type differs from the one before: only in what may be null, or altogether. */
export type TypeDifference = 'same' | 'less-null' | 'more-null' | 'other';

/**
 * Compares two types by name. `more-null`: something may be null that was not; what is less often null beside it does not
 * count.
 */
export function compareTypes(before: GraphQLType, after: GraphQLType): TypeDifference {
  const own = compareNull(before, after);
  const [inner, other] = [getNullableType(before), getNullableType(after)];
  if (!isListType(inner) || !isListType(other)) return String(inner) === String(other) ? own : 'other';
  const below = compareTypes(inner.ofType, other.ofType);
  if (below === 'other') return 'other';
  if (own === 'more-null' || below === 'more-null') return 'more-null';
  return own === 'same' ? below : own;
}

function compareNull(before: GraphQLType, after: GraphQLType): 'same' | 'less-null' | 'more-null' {
  if (isNonNullType(before) === isNonNullType(after)) return 'same';
  return isNonNullType(after) ? 'less-null' : 'more-null';
}

/** Whether anything within a type must not be null that might before. */
export function demandsMore(before: GraphQLType, after: GraphQLType): boolean {
  if (isNonNullType(after) && !isNonNullType(before)) return true;
  const [inner, other] = [getNullableType(before), getNullableType(after)];
  return isListType(inner) && isListType(other) ? demandsMore(inner.ofType, other.ofType) : false;
}
