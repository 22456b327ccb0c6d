import type { Decided, Variables } from '../document/decided-conditions.ts';
import { isComputed, joinTerms, mapTerm, valueOf, type Term } from '../fold/term.ts';

/** What an operation costs with these variables: coerced, defaults applied, and conditions decided by them. */
export type CostFunction = (variables: Variables, decided: Decided) => number;

/** A cost: a number where no variable matters, else computed per request. */
export type Cost = Term<number>;

/** The sum. */
export function sumOf(costs: readonly Cost[]): Cost {
  return joinTerms(costs, 0, plus);
}

function plus(left: number, right: number): number {
  return left + right;
}

/** The sum of two. */
export function add(left: Cost, right: Cost): Cost {
  if (left === 0) return right;
  if (right === 0) return left;
  if (!isComputed(left) && !isComputed(right)) return left + right;
  return (run) => valueOf(left, run) + valueOf(right, run);
}

/** The cost, or zero where it is negative: a field with a negative `@cost` pays for what is below it, not for others. */
export function atLeastZero(cost: Cost): Cost {
  return mapTerm(cost, (value) => Math.max(0, value));
}

/** The product. */
export function multiply(left: Cost, right: Cost): Cost {
  if (left === 1) return right;
  if (right === 1 || right === 0) return right === 0 ? 0 : left;
  if (!isComputed(left) && !isComputed(right)) return times(left, right);
  return (run) => times(valueOf(left, run), valueOf(right, run));
}

/** Nothing of what costs too much to be counted is nothing, and not NaN, which no limit is below. */
function times(left: number, right: number): number {
  return left === 0 || right === 0 ? 0 : left * right;
}

/** The next integer, and 1 at least. */
export function roundUp(cost: Cost): Cost {
  return mapTerm(cost, (value) => Math.max(1, Math.ceil(value)));
}

/** The larger of two. */
export function largest(left: Cost | undefined, right: Cost): Cost {
  if (left === undefined) return right;
  if (!isComputed(left) && !isComputed(right)) return Math.max(left, right);
  return (run) => Math.max(valueOf(left, run), valueOf(right, run));
}
