/** What happens at a non-null position whose value is missing because of an error. */
export const errorBehaviors = ['PROPAGATE', 'NULL', 'HALT'] as const;

/**
 * `PROPAGATE`: the nearest position above that may be null is null. `NULL`: the position itself is null. `HALT`: the data is
 * null, and the first error is the only one.
 *
 * @see GraphQL specification, working draft "Error behaviors" (graphql-spec#1163), "Handling Execution Errors"
 */
export type ErrorBehavior = (typeof errorBehaviors)[number];

/** Whether this is the name of an {@link ErrorBehavior}. Names are in upper case. */
export function isErrorBehavior(value: unknown): value is ErrorBehavior {
  return errorBehaviors.some((behavior) => behavior === value);
}

/** What distinguishes results of equal operations: nothing for most. */
export function keyOfBehavior(onError: ErrorBehavior): string {
  return onError === 'PROPAGATE' ? '' : ` onError=${onError}`;
}
