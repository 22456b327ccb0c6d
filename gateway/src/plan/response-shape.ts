import {
  getNullableType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { metaFields } from '../supergraph/service-introspection.ts';
import type { Denial } from '../operation/access/requirement.ts';
import { leafCheck, type LeafCheck, type TypeIndex } from '../supergraph/type-index.ts';
import { mergeQuestions, type IntrospectionQuestion } from './introspection-question.ts';
import type {
  PreparedDefer,
  PreparedField,
  PreparedFragment,
  PreparedSelection,
  PreparedStream,
} from './prepared-operation.ts';

/** What a response must look like at one place: the client's selections there, looked up by the type that was found. */
export class SelectionShape {
  readonly type: GraphQLCompositeType;
  readonly #selections: readonly PreparedSelection[];
  readonly #context: ShapeContext;
  /** Bounded by the types that can stand here. */
  readonly #byType = new Map<string, ObjectShape>();
  #reachableTypes: readonly string[] | undefined;

  constructor(type: GraphQLCompositeType, selections: readonly PreparedSelection[], context: ShapeContext) {
    this.type = type;
    this.#selections = selections;
    this.#context = context;
  }

  /** The one type that can stand here; absent where it must be read from the data. */
  get onlyType(): string | undefined {
    return isObjectType(this.type) ? this.type.name : undefined;
  }

  /** The type of an object that comes without its type. */
  get fallbackType(): string | undefined {
    const { name } = this.type;
    return isObjectType(this.type) || this.#context.interfaceObjects.has(name) ? name : undefined;
  }

  /** Whether an object may call itself this where only one type can stand: by its own name, or an interface's. */
  accepts(typeName: string): boolean {
    return this.#context.types.isSubtype(this.type.name, typeName);
  }

  /**
   * The fields to answer for an object of a type.
   *
   * @param typeName an object type, or an interface where only interface fields are known of the object
   * @returns nothing when clients are denied such an object here
   */
  of(typeName: string): ObjectShape | undefined {
    const known = this.#byType.get(typeName);
    if (known) return known;
    const shape = this.#compile(typeName);
    if (shape) this.#byType.set(typeName, shape); // a subgraph chooses the name: one that is no type is not remembered
    return shape;
  }

  /** The object types that clients may see here. */
  possibleTypes(): readonly string[] {
    const { schema } = this.#context;
    return (isAbstractType(this.type) ? schema.getPossibleTypes(this.type) : [this.type]).map(
      ({ name }) => name,
    );
  }

  /** Every object type that can stand here or below, so that an empty list is known to be one of posts. */
  get reachableTypes(): readonly string[] {
    if (!this.#reachableTypes) {
      const found = new Set<string>();
      addTypes(this, found);
      this.#reachableTypes = [...found];
    }
    return this.#reachableTypes;
  }

  #compile(typeName: string): ObjectShape | undefined {
    const { schema, types } = this.#context;
    const type = schema.getType(typeName);
    if (!isObjectType(type) && !isInterfaceType(type)) return undefined;
    if (!types.isSubtype(typeName, this.type.name)) return undefined;
    const groups = new Map<string, PreparedField[]>();
    const deferred: PreparedFragment[] = [];
    collectFields(this.#selections, typeName, types, groups, deferred);
    return {
      typeName,
      isObject: isObjectType(type),
      denial: isAbstractType(this.type) ? this.#context.deniedTypes?.get(typeName) : undefined,
      fields: [...groups.values()].map((group) => fieldShape(type, group, this.#context)),
      deferred: deferred.flatMap(({ defer, selections }) =>
        defer ? [{ defer, selection: new SelectionShape(type, selections, this.#context) }] : [],
      ),
    };
  }
}

/** The fields to answer for objects of one type, in the order of the operation. */
export interface ObjectShape {
  readonly typeName: string;
  /** Otherwise an interface: the type of the object itself is not known. */
  readonly isObject: boolean;
  /** Why the caller is denied such an object where others may stand as well. */
  readonly denial: Denial | undefined;
  readonly fields: readonly FieldShape[];
  /** Fragments whose fields come later, where parts are wanted. */
  readonly deferred: readonly DeferredShape[];
}

/** A fragment that comes later. */
export interface DeferredShape {
  readonly defer: PreparedDefer;
  readonly selection: SelectionShape;
}

/** One key of the response. */
export interface FieldShape {
  readonly kind: 'data' | 'typename' | 'introspection';
  readonly responseKey: string;
  readonly sourceKey: string;
  readonly fieldName: string;
  readonly parentType: string;
  /** The places in the operation. */
  readonly nodes: readonly FieldNode[];
  readonly denial: Denial | undefined;
  /** What is asked about the schema, where the kind is `introspection`. */
  readonly introspection: IntrospectionQuestion | undefined;
  readonly value: ValueShape;
}

/** What a value must be. */
export type ValueShape =
  | {
      readonly kind: 'leaf';
      readonly nullable: boolean;
      readonly type: GraphQLLeafType;
      /** Whether a value is one of the type. */
      readonly accepts: LeafCheck;
    }
  | { readonly kind: 'object'; readonly nullable: boolean; readonly selection: SelectionShape }
  | {
      readonly kind: 'list';
      readonly nullable: boolean;
      readonly item: ValueShape;
      /** Its `@stream`, where that is on: its later items come later. */
      readonly stream?: PreparedStream | undefined;
    };

/** What every shape of a supergraph refers to. */
export interface ShapeContext {
  readonly schema: GraphQLSchema;
  readonly types: TypeIndex;
  /** Interfaces that some subgraph takes for objects: it need not send the type of such an object. */
  readonly interfaceObjects: ReadonlySet<string>;
  /** Types of objects that the caller is denied. @default none */
  readonly deniedTypes?: ReadonlyMap<string, Denial> | undefined;
}

function collectFields(
  selections: readonly PreparedSelection[],
  typeName: string,
  types: TypeIndex,
  groups: Map<string, PreparedField[]>,
  deferred: PreparedFragment[],
): void {
  for (const selection of selections) {
    if (selection.kind === 'field') addTo(groups, selection);
    else if (selection.typeCondition === undefined || types.isSubtype(typeName, selection.typeCondition)) {
      if (selection.defer) {
        deferred.push(selection);
        collectIntrospection(selection.selections, typeName, types, groups);
      } else collectFields(selection.selections, typeName, types, groups, deferred);
    }
  }
}

/** Introspection waits for no subgraph, so there is nothing to defer: it comes with what is around the fragment. */
function collectIntrospection(
  selections: readonly PreparedSelection[],
  typeName: string,
  types: TypeIndex,
  groups: Map<string, PreparedField[]>,
): void {
  for (const selection of selections) {
    if (selection.kind === 'field') {
      if (kindOf(selection.name) === 'introspection') addTo(groups, selection);
    } else if (selection.typeCondition === undefined || types.isSubtype(typeName, selection.typeCondition)) {
      collectIntrospection(selection.selections, typeName, types, groups);
    }
  }
}

function addTo(groups: Map<string, PreparedField[]>, field: PreparedField): void {
  const group = groups.get(field.responseKey);
  if (group) group.push(field);
  else groups.set(field.responseKey, [field]);
}

function fieldShape(
  parent: Extract<GraphQLCompositeType, { getFields: unknown }>,
  group: readonly PreparedField[],
  context: ShapeContext,
): FieldShape {
  const [first] = group;
  if (!first) throw new TypeError('A field has no place in the operation.');
  const definition = definitionOf(parent, first.name);
  return {
    kind: kindOf(first.name),
    responseKey: first.responseKey,
    sourceKey: (group.find(({ denial }) => !denial) ?? first).sourceKey,
    fieldName: first.name,
    parentType: parent.name,
    nodes: group.map(({ node }) => node),
    denial: group.find(({ denial }) => denial)?.denial,
    introspection: mergeQuestions(group.flatMap(({ introspection }) => introspection ?? [])),
    value: withStream(valueShape(definition.type, group, context), first.stream),
  };
}

function withStream(value: ValueShape, stream: PreparedStream | undefined): ValueShape {
  return value.kind === 'list' && stream && !stream.isOff ? { ...value, stream } : value;
}

function kindOf(name: string): FieldShape['kind'] {
  if (name === '__typename') return 'typename';
  return name.startsWith('__') ? 'introspection' : 'data';
}

function definitionOf(
  parent: Extract<GraphQLCompositeType, { getFields: unknown }>,
  name: string,
): GraphQLField<unknown, unknown> {
  const definition = metaFields.get(name) ?? parent.getFields()[name];
  if (!definition) throw new TypeError(`The type ${parent.name} has no field ${name}.`);
  return definition;
}

function valueShape(
  type: GraphQLOutputType,
  group: readonly PreparedField[],
  context: ShapeContext,
): ValueShape {
  const nullable = !isNonNullType(type);
  const inner = getNullableType(type);
  if (isListType(inner)) return { kind: 'list', nullable, item: valueShape(inner.ofType, group, context) };
  if (isLeafType(inner)) return { kind: 'leaf', nullable, type: inner, accepts: leafCheck(inner) };
  if (!isCompositeType(inner)) throw new TypeError(`The type ${String(inner)} can't be answered.`);
  const selections = group.flatMap((field) => field.selections ?? []);
  return { kind: 'object', nullable, selection: new SelectionShape(inner, selections, context) };
}

function addTypes(selection: SelectionShape, found: Set<string>): void {
  for (const type of selection.possibleTypes()) {
    found.add(type);
    for (const { kind, value } of selection.of(type)?.fields ?? [])
      if (kind === 'data') addTypesOfValue(value, found);
  }
}

function addTypesOfValue(value: ValueShape, found: Set<string>): void {
  if (value.kind === 'list') addTypesOfValue(value.item, found);
  else if (value.kind === 'object') addTypes(value.selection, found);
}
