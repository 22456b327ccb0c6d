import {
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  type GraphQLSchema,
} from 'graphql';
import type { SchemaHints } from '../supergraph/schema-hints.ts';

/** A place in an operation: the type it is written on, and the object types that can stand there. */
export interface Position {
  readonly type: string;
  /** Fragments around the place narrow them. */
  readonly possible: ReadonlySet<string>;
  /** The type of the field that the selections are below. */
  readonly base: string;
}

const nothing: ReadonlySet<string> = new Set();

/** The object types that composite types stand for, read once for an operation. */
export class PossibleTypes {
  readonly schema: GraphQLSchema;
  readonly #byType = new Map<string, ReadonlySet<string>>();

  constructor(schema: GraphQLSchema) {
    this.schema = schema;
  }

  of(typeName: string): ReadonlySet<string> {
    let names = this.#byType.get(typeName);
    if (!names) this.#byType.set(typeName, (names = this.#read(typeName)));
    return names;
  }

  #read(typeName: string): ReadonlySet<string> {
    const type = this.schema.getType(typeName);
    if (isObjectType(type)) return new Set([typeName]);
    if (!isAbstractType(type)) return nothing;
    return new Set(this.schema.getPossibleTypes(type).map(({ name }) => name));
  }
}

/** Where the selections of a field are; nothing below a leaf. */
export function positionBelow(
  types: PossibleTypes,
  position: Position,
  fieldName: string,
): Position | undefined {
  const parent = types.schema.getType(position.type);
  if (!isObjectType(parent) && !isInterfaceType(parent)) return undefined;
  const field = parent.getFields()[fieldName];
  const type = field && getNamedType(field.type);
  return isCompositeType(type)
    ? { type: type.name, possible: types.of(type.name), base: type.name }
    : undefined;
}

/**
 * Where the selections of a fragment are: nowhere when no object can match it. On an object type a condition says
 * nothing more and is left out, so the place is the same.
 *
 * Where a subgraph takes the interface for an object, the planner fails on conditions that name other abstract types: there
 * they are written out for each object type.
 */
export function positionsWithin(
  types: PossibleTypes,
  hints: SchemaHints,
  position: Position,
  typeCondition: string | undefined,
): readonly Position[] {
  if (typeCondition === undefined || typeCondition === position.type) return [position];
  const { schema } = types;
  const allowed = types.of(typeCondition);
  const possible = new Set([...position.possible].filter((name) => allowed.has(name)));
  if (possible.size === 0) return [];
  const type = schema.getType(position.type);
  if (isObjectType(type)) return [position];
  if (hints.interfaceObjects.has(position.base) && isAbstractType(schema.getType(typeCondition))) {
    if (isInterfaceType(type) && type.getInterfaces().some(({ name }) => name === typeCondition))
      return [position];
    return [...possible].map((name) => ({ type: name, possible: new Set([name]), base: position.base }));
  }
  return [{ type: typeCondition, possible, base: position.base }];
}
