import { Kind, type DirectiveNode, type ValueNode } from 'graphql';

/** What an operation costs with these variables: coerced, defaults applied. */
export type CostFunction = (variables: Readonly<Record<string, unknown>>) => number;

/** One computation: the variables, and what fragments were found to cost with them. */
export interface CostRun {
  readonly variables: Readonly<Record<string, unknown>>;
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
export function onlyIf(directives: readonly DirectiveNode[] | undefined, cost: Cost): Cost {
  let conditional = cost;
  for (const directive of directives ?? []) {
    const name = directive.name.value;
    if (name !== 'include' && name !== 'skip') continue;
    const condition = directive.arguments?.find((argument) => argument.name.value === 'if');
    if (condition) conditional = when(condition.value, name === 'include', conditional);
  }
  return conditional;
}

function when(condition: ValueNode, expected: boolean, cost: Cost): Cost {
  if (condition.kind === Kind.BOOLEAN) return condition.value === expected ? cost : 0;
  if (condition.kind !== Kind.VARIABLE || cost === 0) return cost;
  const name = condition.name.value;
  return (run) => (readVariable(run.variables, name) === expected ? valueOf(cost, run) : 0);
}

/** The value of a variable, by own properties alone. */
export function readVariable(variables: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(variables, name) ? variables[name] : undefined;
}
