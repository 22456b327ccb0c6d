import { clientError } from '@trellis/subgraph-protocol';
import { GraphQLError } from 'graphql';
import {
  PlannerOverstrained,
  PlannerQueueFull,
  PlannerShareSpent,
  PlannerStarved,
} from './threads/planner-rejections.ts';

const RETRY_AFTER_S = 1;
/** The error of a caller that has used up its planning budget. */
export const PLANNING_SPENT = 'Too much time was spent on planning new operations. Retry later.';
/** The planner has a bound of its own, and no code for it. */
const PLANNER_LIMIT = /^Number of [-a-z ]+ exceeds limit/;

/** The client's error for a job that query planner workers have not done. */
export function plannerFailure(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  if (error instanceof PlannerOverstrained) {
    const { limit, maximum, actual } = error;
    return clientError('QUERY_TOO_COMPLEX', `The operation exceeds the limit of ${maximum} on ${limit}.`, {
      extensions: { limit: { name: limit, maximum, actual } },
    });
  }
  if (error instanceof PlannerQueueFull || error instanceof PlannerStarved)
    return new GraphQLError('The gateway is at its capacity.', {
      extensions: { code: 'OVERLOADED', retryAfterS: RETRY_AFTER_S },
      originalError: error,
    });
  if (error instanceof PlannerShareSpent)
    return new GraphQLError(PLANNING_SPENT, {
      extensions: { code: 'RATE_LIMITED', retryAfterS: Math.max(1, Math.ceil(error.retryAfterMs / 1_000)) },
      originalError: error,
    });
  if (error instanceof Error && PLANNER_LIMIT.test(error.message))
    return clientError('QUERY_TOO_COMPLEX', 'The operation has too many ways to be planned.', {
      cause: error,
    });
  return new GraphQLError('The operation could not be planned.', {
    extensions: { code: 'INTERNAL_SERVER_ERROR' },
    originalError: error instanceof Error ? error : new Error(String(error)),
  });
}
