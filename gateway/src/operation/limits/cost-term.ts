import type { SelectionNode } from 'graphql';
import type { Decided } from '../document/decided-conditions.ts';
import { isConditional } from '../document/decided-directives.ts';
import type { Variables } from '../document/variables.ts';

/** What an operation costs with these variables: coerced, defaults applied, and conditions decided by them. */
export type CostFunction = (variables: Variables, decided: Decided) => number;

/** One computation: the variables, and what fragments were found to cost with them. */
export interface CostRun {
  readonly variables: Variables;
  readonly decided: Decided;
  readonly fragments: Map<string, number>;
}

/** A cost: a number where no variable matters, else computed per request. */
export type Cost = number | ((run: CostRun) => number);

/** The value of a cost in one computation. */
export function valueOf(cost: Cost, run: CostRun): number {
  return typeof cost === 'number' ? cost : cost(run);
}

/** The sum. */
export function add(left: Cost, right: Cost): Cost {
  if (left === 0) return right;
  if (right === 0) return left;
  if (typeof left === 'number' && typeof right === 'number') return left + right;
  return (run) => valueOf(left, run) + valueOf(right, run);
}

/** The cost, or zero where it is negative: a field with a negative `@cost` pays for what is below it, not for others. */
export function atLeastZero(cost: Cost): Cost {
  return typeof cost === 'number' ? Math.max(0, cost) : (run) => Math.max(0, cost(run));
}

/** The product. */
export function multiply(left: Cost, right: Cost): Cost {
  if (left === 1) return right;
  if (right === 1 || right === 0) return right === 0 ? 0 : left;
  if (typeof left === 'number' && typeof right === 'number') return left * right;
  return (run) => valueOf(left, run) * valueOf(right, run);
}

/** The next integer, and 1 at least. */
export function roundUp(cost: Cost): Cost {
  return typeof cost === 'number' ? Math.max(1, Math.ceil(cost)) : (run) => Math.max(1, Math.ceil(cost(run)));
}

/** The larger of two. */
export function largest(left: Cost | undefined, right: Cost): Cost {
  if (left === undefined) return right;
  if (typeof left === 'number' && typeof right === 'number') return Math.max(left, right);
  return (run) => Math.max(valueOf(left, run), valueOf(right, run));
}

/** A cost that is computed once per request, however many places refer to it. */
export function remember(name: string, cost: Cost): Cost {
  if (typeof cost === 'number') return cost;
  return (run) => {
    const known = run.fragments.get(name) ?? cost(run);
    run.fragments.set(name, known);
    return known;
  };
}

/** Zero where `@skip` or `@include` leave the selection out. */
export function onlyIf(selection: SelectionNode, cost: Cost): Cost {
  if (cost === 0 || !isConditional(selection)) return cost;
  return (run) => (run.decided.includes(selection) ? valueOf(cost, run) : 0);
}
