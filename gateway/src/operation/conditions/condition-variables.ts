import type { DirectiveNode } from 'graphql';
import type { ConditionVariable } from '../document/decided-conditions.ts';
import { gather, itemsOf, type Gathered } from '../fold/gathered.ts';
import type { Analysis } from '../fold/selection-fold.ts';
import { holdingOf, isDecided, deferDirectiveOf } from '../document/decided-directives.ts';
import { includedTerm, joinTerms, rememberTerm, type Term } from '../fold/term.ts';

/** Finds the variables that decide `@skip`, `@include` and `@defer` of selections, once for each directive. */
export const conditionAnalysis: Analysis<Gathered<ConditionVariable>> = {
  none: undefined,
  field: ({ node }, below) => withOwn(node.directives, below),
  fragment: ({ node }, below) => withOwn(node.directives, below),
  combine: gather,
};

function withOwn(
  directives: readonly DirectiveNode[] | undefined,
  below: Gathered<ConditionVariable>,
): Gathered<ConditionVariable> {
  if (!directives || directives.length === 0) return below;
  return gather([...directives.map((directive) => variableOf(directive)), below]);
}

function variableOf(directive: DirectiveNode): Gathered<ConditionVariable> {
  if (!isDecided(directive)) return undefined;
  const name = holdingOf(directive);
  if (typeof name !== 'string') return undefined;
  return {
    item: { name, isOptional: directive.name.value === 'defer' || directive.name.value === 'live' },
  };
}

/**
 * The variables that decide the conditions of an operation, each once, in the order of the text. Of this operation alone: in
 * another one a variable of the same name may be something else.
 *
 * @param directives of the operation itself
 * @param found in its selections
 */
export function conditionVariablesOf(
  directives: readonly DirectiveNode[] | undefined,
  found: Gathered<ConditionVariable>,
): readonly ConditionVariable[] {
  const variables = new Map<string, ConditionVariable>();
  for (const { name, isOptional } of itemsOf(withOwn(directives, found)))
    variables.set(name, { name, isOptional: isOptional && (variables.get(name)?.isOptional ?? true) });
  return [...variables.values()];
}

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
