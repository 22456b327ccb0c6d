import type { FragmentDefinitionNode, SelectionSetNode } from 'graphql';
import { Kind } from 'graphql';
import { refused } from '../errors.ts';
import type { Decided } from '../operation/document/decided-conditions.ts';
import { operationFacts } from '../operation/document/document-facts.ts';
import type { CataloguedOperation } from '../operation/operation-catalogue.ts';

/**
 * Stage: each event of a subscription is one response, so nothing of it can be deferred. A `@defer` that is off does no harm.
 *
 * @throws RequestRefused GRAPHQL_VALIDATION_FAILED
 * @see incremental delivery in the GraphQL specification's working draft, "Defer And Stream Directives Are Used On Valid Operations"
 */
export function refuseDeferredEvents(
  { kind, document, documentHash, name }: CataloguedOperation,
  decided: Decided,
): void {
  if (kind !== 'subscription') return;
  const { mayDefer, operation, fragments } = operationFacts(document, name, documentHash);
  if (mayDefer && defers(operation.selectionSet, fragments, decided, new Set()))
    throw refused(
      'GRAPHQL_VALIDATION_FAILED',
      "@defer can't be used in a subscription; give it `if: false`.",
    );
}

function defers(
  set: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  decided: Decided,
  seen: Set<string>,
): boolean {
  return set.selections.some((selection) => {
    if (!decided.includes(selection)) return false;
    if (selection.kind !== Kind.FIELD && decided.deferOf(selection)) return true;
    if (selection.kind !== Kind.FRAGMENT_SPREAD)
      return selection.selectionSet ? defers(selection.selectionSet, fragments, decided, seen) : false;
    const fragment = fragments.get(selection.name.value);
    if (!fragment || seen.has(fragment.name.value)) return false;
    seen.add(fragment.name.value);
    return defers(fragment.selectionSet, fragments, decided, seen);
  });
}
