import type { OutputType, Schema } from '@apollo/federation-internals';
import {
  isCompositeType,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  type InlineFragmentNode,
  type OperationDefinitionNode,
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLString,
  isEnumType,
  type GraphQLLeafType,
} from 'graphql';
import { SERVICE_FIELD } from './service-introspection.ts';
import { federationInternals } from './apollo-packages.ts';

/** The type of a field of the supergraph. */
export interface FieldType {
  readonly nullable: boolean;
  /** The type of elements, where it is a list. */
  readonly item: FieldType | undefined;
  /** The innermost type. */
  readonly name: string;
}

/** Which types are which, for the executor: by names alone, hidden types included. */
export interface TypeIndex {
  /** Whether `type` (an object or interface type) is `condition`, implements it or is one of its members. */
  isSubtype(type: string, condition: string): boolean;
  /** Whether this is an object type of the supergraph. */
  isObject(type: string): boolean;
  /** Hidden fields included. @returns nothing where the type has no such field */
  fieldType(type: string, field: string): FieldType | undefined;
}

/** Reads the type relations of a supergraph once. */
export function createTypeIndex(schema: Schema): TypeIndex {
  const conditionsOf = new Map<string, Set<string>>();
  const objects = new Set<string>();
  const add = (type: string, condition: string): void => {
    const conditions = conditionsOf.get(type);
    if (conditions) conditions.add(condition);
    else conditionsOf.set(type, new Set([type, condition]));
  };
  for (const type of schema.allTypes()) {
    if (federationInternals.isObjectType(type)) objects.add(type.name);
    if (federationInternals.isObjectType(type) || federationInternals.isInterfaceType(type)) {
      add(type.name, type.name);
      for (const implemented of type.interfaces()) add(type.name, implemented.name);
    }
    if (federationInternals.isUnionType(type)) for (const member of type.types()) add(member.name, type.name);
  }
  return {
    isSubtype: (type, condition) => type === condition || (conditionsOf.get(type)?.has(condition) ?? false),
    isObject: (type) => objects.has(type),
    fieldType: (type, field) => {
      const known = schema.type(type);
      if (!known || !(federationInternals.isObjectType(known) || federationInternals.isInterfaceType(known)))
        return undefined;
      const found = known.field(field)?.type;
      return found && readType(found);
    },
  };
}

function readType(type: OutputType): FieldType {
  const inner = federationInternals.isNonNullType(type) ? type.ofType : type;
  return {
    nullable: inner === type,
    item: federationInternals.isListType(inner) ? readType(inner.ofType) : undefined,
    name: federationInternals.baseType(inner).name,
  };
}

/** The type at the root of an operation. */
export function rootTypeOf(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
): GraphQLCompositeType | undefined {
  return schema.getRootType(operation.operation) ?? undefined;
}

/** The type that a fragment's selections are made on. */
export function fragmentTypeOf(
  schema: GraphQLSchema,
  fragment: FragmentDefinitionNode | InlineFragmentNode | undefined,
  parent: GraphQLCompositeType | undefined,
): GraphQLCompositeType | undefined {
  if (!fragment?.typeCondition) return parent;
  const type = schema.getType(fragment.typeCondition.name.value);
  return isCompositeType(type) ? type : undefined;
}

/** `__schema`, `__type` and `__service`: what is below them is exempt from depth and cost. */
export function isIntrospectionRoot(field: FieldNode): boolean {
  const name = field.name.value;
  return name === '__schema' || name === '__type' || name === SERVICE_FIELD;
}

/** Whether a value that a subgraph answered is one of the type. Never called with null. */
export type LeafCheck = (value: unknown) => boolean;

const MAX_INT = 2 ** 31 - 1;
const MIN_INT = -(2 ** 31);

const builtIn: ReadonlyMap<string, LeafCheck> = new Map([
  [
    GraphQLInt.name,
    (value: unknown) =>
      Number.isInteger(value) && (value as number) <= MAX_INT && (value as number) >= MIN_INT,
  ],
  [GraphQLFloat.name, (value: unknown) => typeof value === 'number' && Number.isFinite(value)],
  [GraphQLString.name, (value: unknown) => typeof value === 'string'],
  [GraphQLBoolean.name, (value: unknown) => typeof value === 'boolean'],
  [GraphQLID.name, (value: unknown) => typeof value === 'string'],
]);

/**
 * The check of a scalar or enum type. Values of a custom scalar are the business of those who define it; of an enum, only
 * values that clients may see are accepted.
 */
export function leafCheck(type: GraphQLLeafType): LeafCheck {
  if (isEnumType(type)) return (value) => typeof value === 'string' && type.getValue(value) != undefined;
  return builtIn.get(type.name) ?? acceptAny;
}

const acceptAny: LeafCheck = () => true;

/**
 * The value as clients get it.
 *
 * @returns nothing when it is none of the type. An ID that came as an integer becomes a string (GraphQL §3.5.5).
 */
export function leafValue({ type, accepts }: LeafShape, value: unknown): unknown {
  if (accepts(value)) return value;
  return type.name === GraphQLID.name ? idOf(value) : undefined;
}

/** A position of a scalar or enum type. */
interface LeafShape {
  readonly type: GraphQLLeafType;
  readonly accepts: LeafCheck;
}

function idOf(value: unknown): string | undefined {
  return Number.isInteger(value) ? String(value) : undefined;
}
