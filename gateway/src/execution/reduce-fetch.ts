import { Kind, parse, visit, type DocumentNode, type SelectionNode, type SelectionSetNode } from 'graphql';
import type { ExpectedSelection, FetchStep } from '../plan/plan-steps.ts';
import { withOperation } from './with-operation.ts';

const reducedSteps = new WeakMap<FetchStep, Map<string, FetchStep>>();

/**
 * A fetch without the fields that need what is not there, so that the others are answered all the same. Made at the first
 * use: it takes a failed requirement to need it.
 *
 * @returns nothing when no field is left
 */
export function reduceFetch(step: FetchStep, missing: ReadonlySet<string>): FetchStep | undefined {
  const signature = [...missing].toSorted().join();
  let known = reducedSteps.get(step);
  if (!known) reducedSteps.set(step, (known = new Map()));
  let reduced = known.get(signature);
  if (!reduced) known.set(signature, (reduced = makeReduced(step, droppedKeys(step, missing))));
  return reduced.expected.length > 0 ? reduced : undefined;
}

/** What a fetch would have brought but for what is missing: keys by type. */
export function droppedKeys(step: FetchStep, missing: ReadonlySet<string>): readonly ExpectedSelection[] {
  return step.dependents
    .filter(({ needs }) => needs.some((key) => missing.has(key)))
    .map(({ typeCondition, key }) => ({ typeCondition, keys: [key] }));
}

function makeReduced(step: FetchStep, dropped: readonly ExpectedSelection[]): FetchStep {
  const isDropped = (typeCondition: string | undefined, key: string): boolean =>
    dropped.some((selection) => selection.typeCondition === typeCondition && selection.keys.includes(key));
  const expected = step.expected
    .map(({ typeCondition, keys }) => ({
      typeCondition,
      keys: keys.filter((key) => !isDropped(typeCondition, key)),
    }))
    .filter(({ keys }) => keys.some((key) => key !== '__typename'));
  if (expected.length === 0) return { ...step, expected };
  return { ...withOperation(step, withoutFields(step.operation, isDropped)), expected };
}

function withoutFields(
  operation: string,
  isDropped: (type: string | undefined, key: string) => boolean,
): DocumentNode {
  return visit(parse(operation, { noLocation: true }), {
    Field: (node) =>
      node.name.value === '_entities' && node.selectionSet
        ? { ...node, selectionSet: reduceSet(node.selectionSet, undefined, isDropped) }
        : undefined,
  });
}

function reduceSet(
  set: SelectionSetNode,
  typeCondition: string | undefined,
  isDropped: (type: string | undefined, key: string) => boolean,
): SelectionSetNode {
  const selections = set.selections.flatMap((selection): SelectionNode[] => {
    if (selection.kind === Kind.FIELD) {
      return isDropped(typeCondition, selection.alias?.value ?? selection.name.value) ? [] : [selection];
    }
    if (selection.kind !== Kind.INLINE_FRAGMENT) return [selection];
    const inner = selection.typeCondition?.name.value ?? typeCondition;
    const below = reduceSet(selection.selectionSet, inner, isDropped);
    return below.selections.length > 0 ? [{ ...selection, selectionSet: below }] : [];
  });
  return { ...set, selections };
}
