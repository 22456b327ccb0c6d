import { own } from '@trellis/runtime/own-property';
import {
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import type { CostSettings } from '../../settings/cost.ts';
import { annotationsOf, isConnection, typesAt } from './field-annotations.ts';
import type { GraphAnnotations } from './graph-annotations.ts';
import { type ListSize, isList, readListLength, type ListLength } from './list-length.ts';

/** What {@link GraphCosts} are read from. */
export interface CostSources {
  readonly schema: GraphQLSchema;
  readonly annotations: GraphAnnotations;
  readonly settings: CostSettings;
}

/** One way in which a field is sized: its implementations may be sized otherwise than one another. */
export interface FieldSize {
  readonly length: ListLength;
  /** The lists below the field that have this length; none where it is the field's own. */
  readonly carriers: readonly string[];
}

/** What a field costs, whatever it is asked for with. */
export interface FieldCost {
  /** Of one object or value. */
  readonly weight: number;
  readonly sizes: readonly FieldSize[];
  /** Whether a field above it may say how long its list is. */
  readonly mayBeSized: boolean;
  /** How long the lists within its list are together. */
  readonly innerLength: number;
}

/** What the fields of a graph cost: each is read once, when an operation first asks for it. */
export class GraphCosts implements CostSources {
  readonly schema: GraphQLSchema;
  readonly annotations: GraphAnnotations;
  readonly settings: CostSettings;
  /** Names of all fields that carry the length of a field above them. */
  readonly #carriers: ReadonlySet<string>;
  readonly #fields = new Map<GraphQLCompositeType, Map<string, FieldCost>>();

  constructor({ schema, annotations, settings }: CostSources) {
    this.schema = schema;
    this.annotations = annotations;
    this.settings = settings;
    this.#carriers = allCarriers(schema, annotations);
  }

  /** @param definition of a field of this parent */
  of(parent: GraphQLCompositeType, definition: GraphQLField<unknown, unknown>): FieldCost {
    let fields = this.#fields.get(parent);
    if (!fields) this.#fields.set(parent, (fields = new Map<string, FieldCost>()));
    let cost = fields.get(definition.name);
    if (!cost) fields.set(definition.name, (cost = readField(this, parent, definition, this.#carriers)));
    return cost;
  }
}

function readField(
  sources: CostSources,
  parent: GraphQLCompositeType,
  definition: GraphQLField<unknown, unknown>,
  carriers: ReadonlySet<string>,
): FieldCost {
  const { schema, annotations, settings } = sources;
  const keyNames = keyNamesOf(sources, definition);
  const listSizes = annotationsOf(schema, parent, definition.name, annotations.listSizes);
  return {
    weight: weightOfField(sources, parent, definition),
    sizes: listSizes.map((listSize) => ({
      length: readListLength({ definition, listSize, keyNames, settings }),
      carriers: carriersOf(definition, listSize),
    })),
    mayBeSized: carriers.has(definition.name),
    innerLength: settings.listSize ** innerListsOf(definition.type),
  };
}

/** How many lists there are within a list. */
function innerListsOf(type: GraphQLOutputType): number {
  const nullable = getNullableType(type);
  if (!isListType(nullable)) return 0;
  return isList(nullable.ofType) ? 1 + innerListsOf(nullable.ofType) : 0;
}

/** The lists below a field that have its length. The length of a connection is that of its lists. */
function carriersOf(
  definition: GraphQLField<unknown, unknown>,
  listSize: ListSize | undefined,
): readonly string[] {
  if (listSize && listSize.sizedFields.length > 0) return listSize.sizedFields;
  return isList(definition.type) ? [] : listsOfConnection(getNamedType(definition.type));
}

function listsOfConnection(type: GraphQLNamedType): readonly string[] {
  if (!isConnection(type) || !(isObjectType(type) || isInterfaceType(type))) return [];
  return Object.values(type.getFields())
    .filter((member) => isList(member.type) && member.args.length === 0)
    .map(({ name }) => name);
}

function allCarriers(schema: GraphQLSchema, { listSizes }: GraphAnnotations): ReadonlySet<string> {
  return new Set([
    ...[...listSizes.values()].flatMap(({ sizedFields }) => sizedFields),
    ...Object.values(schema.getTypeMap()).flatMap(listsOfConnection),
  ]);
}

/** `id` and `ids` in any case, and likewise for each key of the types that a field returns. */
function keyNamesOf(
  { schema, annotations }: CostSources,
  definition: GraphQLField<unknown, unknown>,
): ReadonlySet<string> {
  const types = typesAt(schema, getNamedType(definition.type));
  const keys = ['id', ...types.flatMap((type) => annotations.keys.get(type) ?? [])];
  const names = keys.map((key) => key.toLowerCase());
  return new Set(names.flatMap((name) => [name, `${name}s`, `${name}es`]));
}

function weightOfField(
  sources: CostSources,
  parent: GraphQLCompositeType,
  definition: GraphQLField<unknown, unknown>,
): number {
  const { weights } = sources.annotations;
  const returned = weightOfType(getNamedType(definition.type), sources);
  const own = annotationsOf(sources.schema, parent, definition.name, weights);
  return Math.max(...own.map((weight) => weight ?? returned));
}

/** The largest of the types that an object may turn out to have. */
function weightOfType(type: GraphQLNamedType, { schema, annotations, settings }: CostSources): number {
  const named = (name: string): number | undefined =>
    annotations.weights.get(name) ?? own(settings.types, name);
  const fallback = named(type.name) ?? settings.field;
  return Math.max(...typesAt(schema, type).map((name) => named(name) ?? fallback));
}
