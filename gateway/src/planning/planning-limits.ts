import { clientError } from '@trellis/subgraph-protocol';

/** @throws GraphQLError QUERY_TOO_COMPLEX when a bound of planning is exceeded */
export function enforceLimit(name: string, maximum: number, actual: number): void {
  if (actual <= maximum) return;
  throw clientError('QUERY_TOO_COMPLEX', `The operation exceeds the limit of ${maximum} on ${name}.`, {
    extensions: { limit: { name, maximum, actual } },
  });
}
