import {
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { largest, multiply, type Cost } from './cost-term.ts';
import { annotationsOf, isConnection, typesAt } from './field-annotations.ts';
import type { CostSettings } from './cost-settings.ts';
import type { GraphAnnotations } from './graph-annotations.ts';
import type { ListSize } from './list-size.ts';
import { compileListLength, isList } from './list-length.ts';

/** List lengths that a field sets for lists directly below it. Cost specification: sizedFields. */
export type SizedFields = ReadonlyMap<string, Cost>;

/** What {@link sizingOf} reads. */
export interface SizingRequest {
  readonly schema: GraphQLSchema;
  readonly annotations: GraphAnnotations;
  readonly settings: CostSettings;
}

/** How a field multiplies what it costs. */
export interface Sizing {
  /** Of the field itself; absent where only lists below it carry the length. */
  readonly length: Cost | undefined;
  readonly below: SizedFields;
}

/**
 * How long the lists of a field are. On an interface it is as long as on the implementation that makes it longest. The length
 * of a connection is that of its lists.
 */
export function sizingOf(
  request: SizingRequest,
  parent: GraphQLCompositeType,
  field: FieldNode,
  definition: GraphQLField<unknown, unknown>,
): Sizing {
  const { schema, annotations, settings } = request;
  const keyNames = keyNamesOf(request, definition);
  let length: Cost | undefined;
  const below = new Map<string, Cost>();
  for (const listSize of annotationsOf(schema, parent, definition.name, annotations.listSizes)) {
    const outer = compileListLength({ field, definition, listSize, keyNames, settings });
    const own = multiply(outer, settings.listSize ** innerListsOf(definition.type));
    const carriers = carriersOf(definition, listSize);
    for (const name of carriers) below.set(name, largest(below.get(name), own));
    if (carriers.length === 0) length = largest(length, own);
  }
  return { length, below };
}

/** How many lists there are within a list. */
function innerListsOf(type: GraphQLOutputType): number {
  const nullable = getNullableType(type);
  if (!isListType(nullable)) return 0;
  return isList(nullable.ofType) ? 1 + innerListsOf(nullable.ofType) : 0;
}

/** The lists below a field that have its length. */
function carriersOf(
  definition: GraphQLField<unknown, unknown>,
  listSize: ListSize | undefined,
): readonly string[] {
  if (listSize && listSize.sizedFields.length > 0) return listSize.sizedFields;
  const type = getNamedType(definition.type);
  if (isList(definition.type) || !isConnection(type)) return [];
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields())
    .filter((member) => isList(member.type) && member.args.length === 0)
    .map(({ name }) => name);
}

/** `id` and `ids` in any case, and likewise for each key of the types that a field returns. */
function keyNamesOf(
  { schema, annotations }: SizingRequest,
  definition: GraphQLField<unknown, unknown>,
): ReadonlySet<string> {
  const types = typesAt(schema, getNamedType(definition.type));
  const keys = ['id', ...types.flatMap((type) => annotations.keys.get(type) ?? [])];
  const names = keys.map((key) => key.toLowerCase());
  return new Set(names.flatMap((name) => [name, `${name}s`, `${name}es`]));
}
