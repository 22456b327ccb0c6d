import type { OperationDefinitionNode } from 'graphql';
import { worstOf, type DepthPaths } from './depth.ts';
import type { Analysis } from '../fold/selection-fold.ts';
import { includedTerm, joinTerms, mapTerm, rememberTerm, type Term } from '../fold/term.ts';

/** What the text of an operation amounts to, whatever its variables. */
export interface OperationMeasure {
  /** Of the path that goes deepest beyond what is allowed to it, fields from root to leaf. */
  readonly depth: number;
  /** What a field on that path allows beyond the limit. */
  readonly depthAllowance: number;
  readonly aliases: number;
  readonly rootFields: number;
  readonly directives: number;
}

/** What an operation amounts to, from what was found in its selections. */
export function measureOf(
  { directives = [], variableDefinitions = [] }: OperationDefinitionNode,
  { depth, totals }: { readonly depth: DepthPaths; readonly totals: Totals },
): OperationMeasure {
  const worst = worstOf(depth);
  const onVariables = variableDefinitions.reduce(
    (sum, variable) => sum + (variable.directives?.length ?? 0),
    0,
  );
  return {
    depth: worst.depth,
    depthAllowance: worst.allowance,
    aliases: totals.aliases,
    rootFields: totals.fields,
    directives: totals.directives + directives.length + onVariables,
  };
}

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

/** What selections come to, each fragment counted at each of its spreads. */
export interface Totals {
  /** At this level alone. */
  readonly fields: number;
  readonly aliases: number;
  readonly directives: number;
}

const NOTHING: Totals = Object.freeze({ fields: 0, aliases: 0, directives: 0 });
const PLAIN_FIELD: Totals = Object.freeze({ fields: 1, aliases: 0, directives: 0 });

/** Counts fields, aliases and directives. See docs/errors.md#limits. */
export const totalsAnalysis: Analysis<Totals> = {
  none: NOTHING,
  field({ node }, below) {
    const aliases = below.aliases + (node.alias ? 1 : 0);
    const directives = below.directives + (node.directives?.length ?? 0);
    return aliases + directives === 0 ? PLAIN_FIELD : { fields: 1, aliases, directives };
  },
  fragment({ node }, below) {
    const directives = node.directives?.length ?? 0;
    return directives === 0 ? below : { ...below, directives: below.directives + directives };
  },
  combine(parts) {
    let fields = 0;
    let aliases = 0;
    let directives = 0;
    for (const part of parts) {
      fields += part.fields;
      aliases += part.aliases;
      directives += part.directives;
    }
    return { fields, aliases, directives };
  },
};
