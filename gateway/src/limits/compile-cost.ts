import {
  getNamedType,
  isAbstractType,
  isListType,
  isNonNullType,
  Kind,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
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
} from '../supergraph/selection-types.ts';
import { compileArgumentWeight } from './argument-weight.ts';
import { add, atLeastZero, multiply, onlyIf, remember, type Cost, type CostFunction } from './cost-term.ts';
import type { CostSettings } from './cost-settings.ts';
import type { GraphAnnotations, ListSize } from './graph-annotations.ts';
import type { Fragments } from './measure-document.ts';
import { compileListLength } from './list-length.ts';

/** What {@link compileCost} reads. */
export interface CostRequest {
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
  /** The operation is valid against it. */
  readonly schema: GraphQLSchema;
  readonly annotations: GraphAnnotations;
  readonly settings: CostSettings;
}

/**
 * Compiles what an operation costs into a function of its variables and what they decide; what no variable changes is
 * computed now.
 *
 * A field costs its weight (`@cost` on the field, else on its type, else the settings'), times the length of its list,
 * and so does everything selected below it. `__typename` and introspection cost nothing; what `@include` or `@skip`
 * leaves out costs nothing. Specification: Limits, maximum total cost.
 */
export function compileCost(request: CostRequest): CostFunction {
  const compile = createSelectionCompiler(request);
  const cost = compile(
    request.operation.selectionSet,
    rootTypeOf(request.schema, request.operation),
    NO_SIZES,
  );
  return typeof cost === 'number'
    ? () => cost
    : (variables, decided) => cost({ variables, decided, fragments: new Map() });
}

/** List lengths that a field sets for lists directly below it. Cost specification: sizedFields. */
type SizedFields = ReadonlyMap<string, Cost>;
const NO_SIZES: SizedFields = new Map();

type SelectionCompiler = (
  selectionSet: SelectionSetNode | undefined,
  parent: GraphQLCompositeType | undefined,
  sized: SizedFields,
) => Cost;

function createSelectionCompiler(request: CostRequest): SelectionCompiler {
  const { fragments, schema } = request;
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
    const definition = fieldDefinitionOf(parent, field);
    if (!definition || !parent || isIntrospectionRoot(field)) return 0;
    const listSize = annotationOf(request, parent, definition.name, request.annotations.listSizes);
    const length = compileListLength({ field, definition, listSize, settings: request.settings });
    const below = compile(
      field.selectionSet,
      fieldTypeOf(schema, parent, field),
      sizesBelow(listSize, length),
    );
    const weight = weightOfField(request, parent, definition);
    const argumentWeight = compileArgumentWeight({
      annotations: request.annotations,
      parent,
      definition,
      field,
    });
    return atLeastZero(add(argumentWeight, totalOf({ definition, listSize, sized, length, weight, below })));
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
  readonly listSize: ListSize | undefined;
  readonly sized: SizedFields;
  readonly length: Cost;
  readonly weight: number;
  readonly below: Cost;
}

function totalOf({ definition, listSize, sized, length, weight, below }: FieldParts): Cost {
  const sizedHere = sized.get(definition.name);
  if (sizedHere !== undefined) return multiply(sizedHere, add(weight, below));
  if (listSize && listSize.sizedFields.length > 0) return add(weight, below); // the lists below carry the length
  if (isList(definition.type)) return multiply(length, add(weight, below));
  return add(weight, multiply(length, below));
}

function sizesBelow(listSize: ListSize | undefined, length: Cost): SizedFields {
  if (!listSize || listSize.sizedFields.length === 0) return NO_SIZES;
  return new Map(listSize.sizedFields.map((name) => [name, length]));
}

function isList(type: GraphQLOutputType): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type);
}

function weightOfField(
  request: CostRequest,
  parent: GraphQLCompositeType,
  definition: GraphQLField<unknown, unknown>,
): number {
  const { weights } = request.annotations;
  const own = typesAt(request.schema, parent).map((type) => weights.get(`${type}.${definition.name}`));
  const returned = typesAt(request.schema, getNamedType(definition.type)).map((type) =>
    weightOfType(type, request),
  );
  return largest(own) ?? largest(returned) ?? request.settings.fieldCost;
}

function weightOfType(name: string, { annotations, settings }: CostRequest): number | undefined {
  const configured = Object.hasOwn(settings.typeCosts, name) ? settings.typeCosts[name] : undefined;
  return annotations.weights.get(name) ?? configured;
}

/** What is annotated on an interface, or on the first of its implementations where the interface is silent. */
function annotationOf<Value>(
  { schema }: CostRequest,
  parent: GraphQLCompositeType,
  field: string,
  annotations: ReadonlyMap<string, Value>,
): Value | undefined {
  const type = typesAt(schema, parent).find((name) => annotations.has(`${name}.${field}`));
  return type === undefined ? undefined : annotations.get(`${type}.${field}`);
}

/** A type, and the object types it may turn out to be. */
function typesAt(schema: GraphQLSchema, type: GraphQLNamedType): readonly string[] {
  if (!isAbstractType(type)) return [type.name];
  return [type.name, ...schema.getPossibleTypes(type).map(({ name }) => name)];
}

function largest(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
