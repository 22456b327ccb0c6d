import type { DirectiveNode } from 'graphql';
import type { ConditionVariable } from '../document/decided-conditions.ts';
import { gather, itemsOf, type Gathered } from '../fold/gathered.ts';
import type { Analysis } from '../fold/selection-fold.ts';
import {
  deferDirectiveOf,
  holdingOf,
  initialCountOf,
  isDecided,
  streamDirectiveOf,
} from '../document/decided-directives.ts';
import { includedTerm, joinTerms, rememberTerm, type Term } from '../fold/term.ts';

/** Finds the variables that decide `@skip`, `@include`, `@defer` and `@stream` of selections, once for each directive. */
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
  return gather([...directives.flatMap((directive) => [variableOf(directive), countOf(directive)]), below]);
}

function countOf(directive: DirectiveNode): Gathered<ConditionVariable> {
  if (directive.name.value !== 'stream') return undefined;
  const name = initialCountOf(directive);
  return typeof name === 'string' ? { item: { name, isOptional: true, isCount: true } } : undefined;
}

/** They are on where their variable is not given. */
const ON_BY_DEFAULT: ReadonlySet<string> = new Set(['defer', 'stream', 'live']);

function variableOf(directive: DirectiveNode): Gathered<ConditionVariable> {
  if (!isDecided(directive)) return undefined;
  const name = holdingOf(directive);
  if (typeof name !== 'string') return undefined;
  return { item: { name, isOptional: ON_BY_DEFAULT.has(directive.name.value) } };
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
  for (const variable of itemsOf(withOwn(directives, found))) {
    const isOptional = variable.isOptional && (variables.get(variable.name)?.isOptional ?? true);
    variables.set(variable.name, { ...variable, isOptional });
  }
  return [...variables.values()];
}

/** Finds whether anything is deferred or streamed. See docs/incremental-delivery.md. */
export const deferralAnalysis: Analysis<Term<boolean>> = {
  none: false,
  field: ({ node }, below) => withDirective(streamDirectiveOf(node), below),
  fragment: ({ node }, below) => withDirective(deferDirectiveOf(node), below),
  combine: (parts) => joinTerms(parts, false, either),
  onlyIf: (inclusion, summary) => includedTerm(inclusion, summary, false),
  shared: rememberTerm,
};

function withDirective(directive: DirectiveNode | undefined, below: Term<boolean>): Term<boolean> {
  if (!directive) return below;
  const holding = holdingOf(directive);
  const own: Term<boolean> = typeof holding === 'string' ? ({ decided }) => decided.isOn(holding) : holding;
  return joinTerms([own, below], false, either);
}

function either(left: boolean, right: boolean): boolean {
  return left || right;
}
