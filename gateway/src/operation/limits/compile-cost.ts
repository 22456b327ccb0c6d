import {
  isCompositeType,
  Kind,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import {
  fieldDefinitionOf,
  fieldTypeOf,
  fragmentTypeOf,
  isIntrospectionRoot,
  rootTypeOf,
} from '../../supergraph/selection-types.ts';
import { compileArgumentWeight } from './argument-weight.ts';
import {
  add,
  atLeastZero,
  multiply,
  onlyIf,
  remember,
  roundUp,
  type Cost,
  type CostFunction,
} from './cost-term.ts';
import { NO_SIZES, sizingOf, type SizedFields, type Sizing } from './field-sizing.ts';
import type { GraphCosts } from './graph-costs.ts';
import type { Fragments } from './measure-document.ts';
import { isList } from './list-length.ts';

/** What {@link compileCost} reads. */
export interface CostRequest {
  /** Valid against the schema. */
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
  readonly costs: GraphCosts;
}

/**
 * Compiles what an operation costs into a function of its variables and what they decide; what no variable changes is
 * computed now.
 *
 * A field costs its weight (`@cost` on the field, else on its type, else the settings'), times the length of its list,
 * and so does everything selected below it. `__typename` costs nothing, and neither does what `@include` or `@skip` leaves
 * out. Introspection costs 1 for each 1,000 values that it answers of a schema of this size, and 1 at least. Specification: Limits, maximum total cost.
 */
export function compileCost(request: CostRequest): CostFunction {
  const compile = createSelectionCompiler(request);
  const cost = compile(
    request.operation.selectionSet,
    rootTypeOf(request.costs.schema, request.operation),
    NO_SIZES,
  );
  return typeof cost === 'number'
    ? () => cost
    : (variables, decided) => cost({ variables, decided, fragments: new Map() });
}

/** Of one value that introspection answers: a thousand of them take a thread about as long as a small request to a subgraph. */
const INTROSPECTION_COST = 0.001;

type SelectionCompiler = (
  selectionSet: SelectionSetNode | undefined,
  parent: GraphQLCompositeType | undefined,
  sized: SizedFields,
) => Cost;

function createSelectionCompiler(request: CostRequest): SelectionCompiler {
  const { fragments, costs } = request;
  const { schema, annotations } = costs;
  const fragmentCosts = new Map<string, Cost>();

  /** Under sized fields a fragment means something else than elsewhere: then it is compiled for that place. */
  function compileSpread(name: string, sized: SizedFields): Cost {
    const fragment = fragments.get(name);
    const type = fragmentTypeOf(schema, fragment, undefined);
    if (sized.size > 0) return compile(fragment?.selectionSet, type, sized);
    const cost = fragmentCosts.get(name) ?? remember(name, compile(fragment?.selectionSet, type, NO_SIZES));
    fragmentCosts.set(name, cost);
    return cost;
  }

  function compileField(
    field: FieldNode,
    parent: GraphQLCompositeType | undefined,
    sized: SizedFields,
  ): Cost {
    if (isIntrospectionRoot(field)) return compileIntrospection(field);
    const definition = fieldDefinitionOf(parent, field);
    if (!definition || !parent) return 0;
    const cost = costs.of(parent, definition);
    const sizing = sizingOf(field, cost);
    const below = compile(field.selectionSet, fieldTypeOf(schema, parent, field), sizing.below);
    const argumentWeight = compileArgumentWeight({ annotations, parent, definition, field });
    const total = totalOf({ definition, sized, sizing, weight: cost.weight, below });
    return atLeastZero(add(argumentWeight, total));
  }

  /** By what it takes to answer, which is far less for each value than asking a subgraph. */
  function compileIntrospection(field: FieldNode): Cost {
    const type = schema.getType(field.name.value === '__schema' ? '__Schema' : '__Type');
    const values = compile(field.selectionSet, isCompositeType(type) ? type : undefined, NO_SIZES);
    return roundUp(multiply(INTROSPECTION_COST, values));
  }

  function compileSelection(
    selection: SelectionNode,
    parent: GraphQLCompositeType | undefined,
    sized: SizedFields,
  ): Cost {
    if (selection.kind === Kind.FIELD) return compileField(selection, parent, sized);
    if (selection.kind === Kind.FRAGMENT_SPREAD) return compileSpread(selection.name.value, sized);
    return compile(selection.selectionSet, fragmentTypeOf(schema, selection, parent), sized);
  }

  const compile: SelectionCompiler = (selectionSet, parent, sized) => {
    let total: Cost = 0;
    for (const selection of selectionSet?.selections ?? [])
      total = add(total, onlyIf(selection, compileSelection(selection, parent, sized)));
    return total;
  };

  return compile;
}

interface FieldParts {
  readonly definition: GraphQLField<unknown, unknown>;
  readonly sized: SizedFields;
  readonly sizing: Sizing;
  readonly weight: number;
  readonly below: Cost;
}

function totalOf({ definition, sized, sizing, weight, below }: FieldParts): Cost {
  const one = add(weight, below);
  const sizedHere = sized.get(definition.name);
  if (sizedHere !== undefined) return multiply(sizedHere, one);
  const { length } = sizing;
  if (length === undefined) return one; // the lists below carry it
  return isList(definition.type) ? multiply(length, one) : add(weight, multiply(length, below));
}
