import type { GraphQLField } from 'graphql';
import { clientError } from '@trellis/subgraph-protocol/errors';
import { tooComplex } from '../../errors.ts';
import type { CostBudget } from '../../request/context.ts';
import type { OperationLimits } from '../../settings/limits.ts';
import type { OperationMeasure } from './measure-operation.ts';
import type { Analysis, SelectedField } from '../fold/selection-fold.ts';
import { isComputed } from '../fold/term.ts';
import { compileArgumentWeight } from './argument-weight.ts';
import { add, atLeastZero, multiply, type Cost, type CostFunction } from './cost-term.ts';
import { NO_SIZES, sizingOf, type SizedFields, type Sizing } from './field-sizing.ts';
import type { GraphCosts } from './graph-costs.ts';
import { costOfQuestion, isWithinQuestion, valuesOfField } from './introspection-cost.ts';
import type { IntrospectionRoots } from './introspection-part.ts';
import { introspectionRoots } from './introspection-roots.ts';
import { isList } from './list-length.ts';
import {
  costAt,
  DependentCost,
  includedCost,
  sharedCost,
  sizesOf,
  sumOfSelections,
  type SelectionCost,
} from './selection-cost.ts';
import type { LimitName } from '../../settings/limit-catalogue.ts';

/**
 * Stage: what the text of the operation amounts to, against what is allowed.
 *
 * @throws RequestError QUERY_TOO_COMPLEX naming the first limit that is exceeded
 */
export function enforceTextLimits(measured: OperationMeasure, limits: OperationLimits): void {
  const maximumDepth = limits.depth + measured.depthAllowance;
  if (measured.depth > maximumDepth) throw tooComplex('depth', maximumDepth, measured.depth);
  if (measured.aliases > limits.aliases) throw tooComplex('aliases', limits.aliases, measured.aliases);
  if (measured.rootFields > limits.rootFields)
    throw tooComplex('rootFields', limits.rootFields, measured.rootFields);
  if (measured.directives > limits.directives)
    throw tooComplex('directives', limits.directives, measured.directives);
}

/**
 * Stage: what the operation costs, against what is allowed.
 *
 * @param cost with its variables
 * @param budget that of the batch which the operation is part of
 * @throws RequestError QUERY_TOO_COMPLEX naming `cost`
 */
export function enforceCost(cost: number, limits: OperationLimits, budget?: CostBudget): void {
  if (budget) budget.spend(cost, limits.cost);
  else if (cost > limits.cost) throw tooComplex('cost', limits.cost, cost);
}

/**
 * Stage: how many requests to subgraphs the plan makes, against what is allowed. A request that is made for many objects at
 * once is one.
 *
 * @throws RequestError QUERY_TOO_COMPLEX naming `subgraphRequests`; nothing has been asked of any subgraph then
 */
export function enforceSubgraphRequests(planned: number, { subgraphRequests }: OperationLimits): void {
  if (planned > subgraphRequests) throw tooComplex('subgraphRequests', subgraphRequests, planned);
}

/**
 * Finds what an operation costs as a function of its variables and what they decide; what no variable changes is computed now.
 *
 * A field costs its weight (`@cost` on the field, else on its type, else the settings'), times the length of its list,
 * and so does everything selected below it. `__typename` costs nothing, and neither does what `@include` or `@skip` leaves
 * out. Introspection costs 1 for each 250 values that it answers, and 1 at least. See docs/errors.md#limits.
 */
export function costAnalysis(costs: GraphCosts): Analysis<SelectionCost> {
  let roots: IntrospectionRoots | undefined; // counted for the first question: a supergraph serves without
  return {
    none: 0,
    field: (field, below) => {
      // By what it takes to answer, which is far less for each value than asking a subgraph.
      if (field.isIntrospection)
        return costOfQuestion(field, below, (roots ??= introspectionRoots(costs.schema)));
      return isWithinQuestion(field) ? valuesOfField(field, below) : costOfField(field, below, costs);
    },
    combine: sumOfSelections,
    onlyIf: includedCost,
    shared: sharedCost,
  };
}

/** What an operation costs, from what its selections do. */
export function costFunctionOf(found: SelectionCost): CostFunction {
  const cost = costAt(found, NO_SIZES);
  return isComputed(cost)
    ? (variables, decided) => cost({ variables, decided, known: new Map() })
    : () => cost;
}

function costOfField(field: SelectedField, below: SelectionCost, costs: GraphCosts): SelectionCost {
  const { node, parent, definition } = field;
  if (!definition || !parent) return 0;
  const cost = costs.of(parent, definition);
  const sizing = sizingOf(node, cost);
  const argumentWeight = compileArgumentWeight({
    annotations: costs.annotations,
    parent,
    definition,
    field: node,
  });
  const parts = {
    definition,
    argumentWeight,
    sizing,
    weight: cost.weight,
    below: costAt(below, sizing.below),
  };
  return cost.mayBeSized
    ? new DependentCost((above) => costOfParts(parts, sizesOf(above)))
    : costOfParts(parts, NO_SIZES);
}

interface FieldParts {
  readonly definition: GraphQLField<unknown, unknown>;
  readonly argumentWeight: Cost;
  readonly sizing: Sizing;
  readonly weight: number;
  readonly below: Cost;
}

function costOfParts(parts: FieldParts, sized: SizedFields): Cost {
  return atLeastZero(add(parts.argumentWeight, totalOf(parts, sized)));
}

function totalOf({ definition, sizing, weight, below }: FieldParts, sized: SizedFields): Cost {
  const one = add(weight, below);
  const sizedHere = sized.get(definition.name);
  if (sizedHere !== undefined) return multiply(sizedHere, one);
  const { length } = sizing;
  if (length === undefined) return one; // the lists below carry it
  return isList(definition.type) ? multiply(length, one) : add(weight, multiply(length, below));
}

/** @throws GraphQLError QUERY_TOO_COMPLEX when a bound of planning is exceeded */
export function enforceLimit(name: LimitName, maximum: number, actual: number): void {
  if (actual <= maximum) return;
  throw clientError('QUERY_TOO_COMPLEX', `The operation exceeds the limit of ${maximum} on ${name}.`, {
    extensions: { limit: { name, maximum, actual } },
  });
}
