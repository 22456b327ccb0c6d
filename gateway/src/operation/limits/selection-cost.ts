import { includedTerm, rememberTerm } from '../fold/term.ts';
import type { Inclusion } from '../document/decided-directives.ts';
import { sumOf, type Cost } from './cost-term.ts';
import { NO_SIZES, type SizedFields } from './field-sizing.ts';
import { IntrospectionPart } from './introspection-part.ts';

/** What some selections cost: a cost, or, where what stands above them matters, one for each that may. */
export type SelectionCost = Cost | DependentCost;

/** What stands above: a field that may say how long lists are, or the part of the schema that a question is about. */
export type CostContext = SizedFields | IntrospectionPart;

/** What selections cost whose lists are as long as what stands above them says. */
export class DependentCost {
  readonly #compile: (above: CostContext) => Cost;
  /** By what stands above. A fragment may be below several. */
  readonly #known = new Map<CostContext, Cost>();

  constructor(compile: (above: CostContext) => Cost) {
    this.#compile = compile;
  }

  at(above: CostContext): Cost {
    let cost = this.#known.get(above);
    if (cost === undefined) this.#known.set(above, (cost = this.#compile(above)));
    return cost;
  }

  /** Each of them computed once per request. */
  remembered(): DependentCost {
    return new DependentCost((above) => rememberTerm(this.at(above)));
  }
}

/** What stands above ordinary fields. */
export function sizesOf(above: CostContext): SizedFields {
  return above instanceof IntrospectionPart ? NO_SIZES : above;
}

/** What selections cost below this. */
export function costAt(cost: SelectionCost, above: CostContext): Cost {
  return cost instanceof DependentCost ? cost.at(above) : cost;
}

/** What selections of one set cost together. */
export function sumOfSelections(parts: readonly SelectionCost[]): SelectionCost {
  if (parts.some((part) => part instanceof DependentCost))
    return new DependentCost((above) => sumOf(parts.map((part) => costAt(part, above))));
  return sumOf(parts as readonly Cost[]); // none of them depends
}

/** What a selection costs that a condition may leave out. */
export function includedCost(inclusion: Inclusion, cost: SelectionCost): SelectionCost {
  return cost instanceof DependentCost
    ? new DependentCost((above) => includedTerm(inclusion, cost.at(above), 0))
    : includedTerm(inclusion, cost, 0);
}

/** What a fragment costs, which may be spread at several places. */
export function sharedCost(cost: SelectionCost): SelectionCost {
  return cost instanceof DependentCost ? cost.remembered() : rememberTerm(cost);
}
