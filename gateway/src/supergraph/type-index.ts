import {
  baseType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  type OutputType,
  type Schema,
} from '@apollo/federation-internals';

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
    if (isObjectType(type)) objects.add(type.name);
    if (isObjectType(type) || isInterfaceType(type)) {
      add(type.name, type.name);
      for (const implemented of type.interfaces()) add(type.name, implemented.name);
    }
    if (isUnionType(type)) for (const member of type.types()) add(member.name, type.name);
  }
  return {
    isSubtype: (type, condition) => type === condition || (conditionsOf.get(type)?.has(condition) ?? false),
    isObject: (type) => objects.has(type),
    fieldType: (type, field) => {
      const known = schema.type(type);
      if (!known || !(isObjectType(known) || isInterfaceType(known))) return undefined;
      const found = known.field(field)?.type;
      return found && readType(found);
    },
  };
}

function readType(type: OutputType): FieldType {
  const inner = isNonNullType(type) ? type.ofType : type;
  return {
    nullable: inner === type,
    item: isListType(inner) ? readType(inner.ofType) : undefined,
    name: baseType(inner).name,
  };
}
