import { rejected } from '../errors.ts';
import type { Decided } from '../operation/document/decided-conditions.ts';
import type { Operation } from '../operation/operation.ts';

/**
 * Stage: each event of a subscription is one response, so nothing of it can be deferred. A `@defer` that is off does no harm.
 *
 * @throws RequestError GRAPHQL_VALIDATION_FAILED
 * @see incremental delivery in the GraphQL specification's working draft, "Defer And Stream Directives Are Used On Valid Operations"
 */
export function rejectedeferredEvents(
  { kind, isDeferred }: Pick<Operation, 'kind' | 'isDeferred'>,
  decided: Decided,
): void {
  if (kind === 'subscription' && isDeferred(decided))
    throw rejected(
      'GRAPHQL_VALIDATION_FAILED',
      "@defer can't be used in a subscription; give it `if: false`.",
    );
}
