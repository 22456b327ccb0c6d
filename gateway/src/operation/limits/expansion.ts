import type { Analysis } from '../fold/selection-fold.ts';
import { includedTerm, joinTerms, mapTerm, rememberTerm, type Term } from '../fold/term.ts';

/**
 * Counts the selections that an operation has once its fragments are written out and its conditions decided, which may be
 * exponentially many. Introspection is answered by the gateway and counts one.
 */
export const expansionAnalysis: Analysis<Term<number>> = {
  none: 0,
  field: ({ node }, below) => (node.name.value.startsWith('__') ? 1 : mapTerm(below, addOne)),
  fragment: (_fragment, below) => mapTerm(below, addOne),
  combine: (parts) => joinTerms(parts, 0, sum),
  onlyIf: (inclusion, summary) => includedTerm(inclusion, summary, 0),
  shared: rememberTerm,
};

function addOne(count: number): number {
  return count + 1;
}

function sum(left: number, right: number): number {
  return left + right;
}
