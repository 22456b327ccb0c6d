import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLString,
  isEnumType,
  type GraphQLLeafType,
} from 'graphql';

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
