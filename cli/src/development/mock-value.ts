import { createHash } from 'node:crypto';
import {
  getNamedType,
  isAbstractType,
  isEnumType,
  isListType,
  isNonNullType,
  isScalarType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';

/** What a mocked object is resolved from: by its seed all its fields have values, the same each time. */
export interface MockedObject {
  readonly __typename: string;
  readonly [SEED]: string;
  readonly id?: unknown;
}

/** Where the seed of an object stands; no field of a schema has the name. */
export const SEED: unique symbol = Symbol('seed');

/** An id as clients and other subgraphs send it. */
export type MockedId = string | number;

/** Whether a value is one. */
export function isMockedId(value: unknown): value is MockedId {
  return typeof value === 'string' || typeof value === 'number';
}

/** Where a value is needed. */
export interface MockPlace {
  readonly schema: GraphQLSchema;
  /** Determines the value. */
  readonly seed: string;
  readonly fieldName: string;
  /** In a list; neighbours differ. */
  readonly index?: number;
  /** The id of the object that is asked for, where an argument names one. */
  readonly id?: MockedId | undefined;
}

const LIST_LENGTH = 2;
/** So many objects of each type are met. */
const OBJECTS = 8;
const MAX_NUMBER = 100;

/** A value of a type, the same for the same place. */
export function mockValue(type: GraphQLOutputType, place: MockPlace): unknown {
  if (isNonNullType(type)) return mockValue(type.ofType, place);
  if (isListType(type))
    return Array.from({ length: LIST_LENGTH }, (_, index) =>
      mockValue(type.ofType, { ...place, index, id: undefined }),
    );
  const number = hash(place.seed) + (place.index ?? 0);
  if (isEnumType(type)) {
    const values = type.getValues();
    return values[number % values.length]?.value;
  }
  if (isScalarType(type)) return scalar(type.name, place.fieldName, number);
  const types = isAbstractType(type) ? place.schema.getPossibleTypes(type) : [type];
  const chosen = types[number % types.length];
  return chosen && mockObject(chosen, place, number);
}

/** An object that has an id is the same wherever it is met. */
function mockObject(type: GraphQLObjectType, { seed, id }: MockPlace, number: number): MockedObject {
  const { id: field } = type.getFields();
  if (!field) return { __typename: type.name, [SEED]: `${seed} ${number}` };
  const known = id ?? mockId(getNamedType(field.type), type.name, (number % OBJECTS) + 1);
  return { __typename: type.name, id: known, [SEED]: `${type.name}:${known}` };
}

/** A scalar of another kind than ID and String has ids of its own kind. */
function mockId({ name }: GraphQLNamedType, typename: string, number: number): MockedId {
  const value = name === 'ID' || name === 'String' ? undefined : scalar(name, 'id', number);
  return isMockedId(value) && value !== `id ${number}` ? value : `${typename}-${number}`;
}

/** The seed of an object that another subgraph refers to. */
export function seedOfReference(reference: Readonly<Record<string, unknown>>): string {
  const { __typename: typename, id, ...others } = reference;
  return `${String(typename)}:${isMockedId(id) ? id : JSON.stringify(others)}`;
}

/** Custom scalars are known by their names. */
const scalars: readonly (readonly [RegExp, (number: number) => unknown])[] = [
  [/^Int$|^(Big|Long|Unsigned|Positive|NonNegative).*Int/, (number) => number % MAX_NUMBER],
  [/^Float$|Decimal|Money/, (number) => (number % (MAX_NUMBER * 10)) / 10],
  [/Date_?Time|Timestamp|Instant/i, (number) => dateOf(number).toISOString()],
  [/Date/, (number) => dateOf(number).toISOString().slice(0, 10)],
  [/Ur[li]/i, (number) => `https://example.com/${number % MAX_NUMBER}`],
  [/E?mail/i, (number) => `user${number % MAX_NUMBER}@example.com`],
  [/UUID/i, (number) => `00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`],
  [/JSON|Object|Map|^_?Any$/i, () => ({})],
];

function scalar(name: string, fieldName: string, number: number): unknown {
  if (name === 'Boolean') return !/^has(Next|Previous)Page$/.test(fieldName) && number % 2 === 1; // lists come to an end
  if (name === 'ID') return `${fieldName}-${(number % OBJECTS) + 1}`;
  const known = scalars.find(([pattern]) => pattern.test(name));
  return known ? known[1](number) : `${fieldName} ${number % MAX_NUMBER}`;
}

const FIRST_DAY_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

function dateOf(number: number): Date {
  return new Date(FIRST_DAY_MS + (number % 300) * DAY_MS);
}

function hash(seed: string): number {
  return createHash('sha256').update(seed).digest().readUInt32BE();
}
