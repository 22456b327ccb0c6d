import { Kind, type FragmentDefinitionNode, type SelectionNode, type SelectionSetNode } from 'graphql';
import type { Decided } from '../operation/document/decided-conditions.ts';

/**
 * How many selections an operation has once its fragments are written out. A fragment is counted once, so this is linear
 * in the length of the text where the result may be exponential. Introspection is answered here and counts one.
 */
export function countSelections(
  selectionSet: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  decided: Decided,
): number {
  const counted = new Map<string, number>();

  const ofSet = (set: SelectionSetNode): number =>
    set.selections.reduce(
      (sum, selection) => sum + (decided.includes(selection) ? ofSelection(selection) : 0),
      0,
    );

  const ofSelection = (selection: SelectionNode): number => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return 1 + ofFragment(selection.name.value);
    if (selection.kind === Kind.FIELD && selection.name.value.startsWith('__')) return 1;
    return 1 + (selection.selectionSet ? ofSet(selection.selectionSet) : 0);
  };

  const ofFragment = (name: string): number => {
    let count = counted.get(name);
    if (count === undefined) {
      const fragment = fragments.get(name);
      count = fragment ? ofSet(fragment.selectionSet) : 0;
      counted.set(name, count);
    }
    return count;
  };

  return ofSet(selectionSet);
}
