import { clientError } from '@trellis/subgraph-protocol';
import type { LimitName } from '../settings/limit-catalogue.ts';

/** @throws GraphQLError QUERY_TOO_COMPLEX when a bound of planning is exceeded */
export function enforceLimit(name: LimitName, maximum: number, actual: number): void {
  if (actual <= maximum) return;
  throw clientError('QUERY_TOO_COMPLEX', `The operation exceeds the limit of ${maximum} on ${name}.`, {
    extensions: { limit: { name, maximum, actual } },
  });
}
