import { includedTerm, joinTerms, rememberTerm, type Term } from '../fold/term.ts';
import type { Analysis } from '../fold/selection-fold.ts';
import { deferDirectiveOf, holdingOf } from '../document/decided-directives.ts';

/** Finds whether anything is deferred. Specification: incremental delivery, `@defer`. */
export const deferralAnalysis: Analysis<Term<boolean>> = {
  none: false,
  field: (_field, below) => below,
  fragment: ({ node }, below) => {
    const directive = deferDirectiveOf(node);
    if (!directive) return below;
    const holding = holdingOf(directive);
    const own: Term<boolean> = typeof holding === 'string' ? ({ decided }) => decided.isOn(holding) : holding;
    return joinTerms([own, below], false, either);
  },
  combine: (parts) => joinTerms(parts, false, either),
  onlyIf: (inclusion, summary) => includedTerm(inclusion, summary, false),
  shared: rememberTerm,
};

function either(left: boolean, right: boolean): boolean {
  return left || right;
}
