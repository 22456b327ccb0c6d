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
const possibleBySchema = new WeakMap<GraphQLSchema, Map<string, ReadonlySet<string>>>();

/** The object types that a composite type stands for. */
export function possibleTypes(schema: GraphQLSchema, typeName: string): ReadonlySet<string> {
  let byType = possibleBySchema.get(schema);
  if (!byType) possibleBySchema.set(schema, (byType = new Map()));
  let names = byType.get(typeName);
  if (!names) byType.set(typeName, (names = readPossibleTypes(schema, typeName)));
  return names;
}

function readPossibleTypes(schema: GraphQLSchema, typeName: string): ReadonlySet<string> {
  const type = schema.getType(typeName);
  if (isObjectType(type)) return new Set([typeName]);
  return isAbstractType(type) ? new Set(schema.getPossibleTypes(type).map(({ name }) => name)) : nothing;
}

/** Where the selections of a field are; nothing below a leaf. */
export function positionBelow(
  schema: GraphQLSchema,
  position: Position,
  fieldName: string,
): Position | undefined {
  const parent = schema.getType(position.type);
  if (!isObjectType(parent) && !isInterfaceType(parent)) return undefined;
  const field = parent.getFields()[fieldName];
  const type = field && getNamedType(field.type);
  return isCompositeType(type)
    ? { type: type.name, possible: possibleTypes(schema, type.name), base: type.name }
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
  schema: GraphQLSchema,
  hints: SchemaHints,
  position: Position,
  typeCondition: string | undefined,
): readonly Position[] {
  if (typeCondition === undefined || typeCondition === position.type) return [position];
  const allowed = possibleTypes(schema, typeCondition);
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
