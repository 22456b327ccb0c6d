import {
  Kind,
  parse,
  print,
  stripIgnoredCharacters,
  visit,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { ExpectedSelection, FetchStep } from './plan-steps.ts';

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
  const operation = withoutFields(step.operation, isDropped);
  const used = new Set([...operation.matchAll(/\$([_A-Za-z]\w*)/g)].map(([, name]) => name));
  return {
    ...step,
    expected,
    operation,
    bodyStart: step.bodyStart.replace(JSON.stringify(step.operation), () => JSON.stringify(operation)),
    variableNames: step.variableNames.filter((name) => used.has(name)),
  };
}

function withoutFields(
  operation: string,
  isDropped: (type: string | undefined, key: string) => boolean,
): string {
  const document = parse(operation, { noLocation: true });
  const reduced = visit(document, {
    Field: (node) =>
      node.name.value === '_entities' && node.selectionSet
        ? { ...node, selectionSet: reduceSet(node.selectionSet, undefined, isDropped) }
        : undefined,
  });
  const used = new Set<string>();
  visit(reduced, { VariableDefinition: () => false, Variable: ({ name }) => void used.add(name.value) });
  const declared = visit(reduced, {
    VariableDefinition: ({ variable }) => (used.has(variable.name.value) ? undefined : null),
  });
  return stripIgnoredCharacters(print(declared));
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
