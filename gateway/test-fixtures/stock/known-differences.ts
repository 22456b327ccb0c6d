import { isDeepStrictEqual } from 'node:util';
import { Kind, visit } from 'graphql';
import type { Answered } from '../synthetic/compare.ts';
import type { RandomOperation } from '../synthetic/random-operation.ts';

/** Two answers to one operation that are not the same. */
export interface StockDifference {
  readonly operation: RandomOperation;
  /** Names of the fields that keys and requirements of the graph are made of. */
  readonly namesInFieldSets: ReadonlySet<string>;
  readonly ours: Answered;
  /** Absent where the operation was not answered at all. */
  readonly stock: Answered | undefined;
  /** What stock threw. */
  readonly thrown?: string;
  /** The answer of one executor over the whole schema. */
  readonly whole: Answered;
}

/** A kind of difference between @apollo/gateway and this gateway, and who is right. */
export interface KnownDifference {
  readonly name: string;
  readonly right: 'ours' | 'stock';
  /** What says so, with its section. */
  readonly standard: string;
  matches(difference: StockDifference): boolean;
}

const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/** Every difference has to be one of these. */
export const knownDifferences: readonly KnownDifference[] = [
  {
    // Stock keeps the order in which its fetches brought them.
    name: 'the order of response keys',
    right: 'ours',
    standard: 'GraphQL (October 2021) §6.3.2 CollectFields, §7.2.2: fields are in the order of the operation',
    matches: ({ ours, stock, whole }) =>
      stock !== undefined && isSame(ours, whole) && isDeepStrictEqual(plain(stock), plain(ours)),
  },
  {
    // Stock reads representations from the response, where an alias has put another value, or none, in the field's place.
    name: 'an alias takes the place of a field of a key or a requirement',
    right: 'ours',
    standard: 'GraphQL (October 2021) §2.7: an alias names the response key, and changes no other field',
    matches: ({ operation, namesInFieldSets, stock, thrown, ours, whole }) =>
      (stock !== undefined || thrown?.includes('Cannot add selection of field') === true) &&
      isSame(ours, whole) &&
      hasAliasIn(operation, namesInFieldSets),
  },
  {
    // What @requires asks for stands beside what the client asks for, without an alias.
    name: 'a required field with arguments conflicts with the same field of the operation',
    right: 'ours',
    standard:
      'GraphQL (October 2021) §6.1: a valid operation is executed; a subgraph refuses stock’s by §5.3.2',
    matches: ({ stock, ours, whole }) =>
      isSame(ours, whole) &&
      (stock?.errors ?? []).some(({ message }) =>
        message.includes('conflict because they have differing arguments'),
      ),
  },
  {
    name: 'stock has no plan for __typename of a type that a subgraph knows as an @interfaceObject',
    right: 'ours',
    standard: 'GraphQL (October 2021) §6.1: a valid operation is executed',
    matches: ({ thrown, ours, whole }) =>
      /We should have an edge from|potentially an interface object type/.test(thrown ?? '') &&
      isSame(ours, whole),
  },
  {
    // Stock looks response keys up in objects with a prototype.
    name: 'a response key that objects inherit, such as constructor',
    right: 'ours',
    standard: 'GraphQL (October 2021) §6.3: each response key has its entry, whatever its name',
    matches: ({ operation, ours, whole }) => isSame(ours, whole) && hasAliasIn(operation, INHERITED),
  },
  {
    name: 'stock asks a subgraph that has an @interfaceObject for an entity by its concrete type',
    right: 'ours',
    standard: 'Apollo Federation 2.3, @interfaceObject: the subgraph knows the interface’s name alone',
    matches: ({ stock, ours, whole }) =>
      isSame(ours, whole) &&
      (stock?.errors ?? []).some(({ message }) =>
        message.includes('no object or interface type of that name was found'),
      ),
  },
  {
    name: 'stock fails inside where a list of entities is merged',
    right: 'ours',
    standard: 'GraphQL (October 2021) §6.1: a valid operation is executed',
    matches: ({ thrown, ours, whole }) =>
      thrown?.includes('Invalid array length') === true && isSame(ours, whole),
  },
  {
    // What a condition leaves out takes the key with it that another fetch needs; stock reports no error.
    name: 'stock loses an entity beside what @skip or @include leaves out',
    right: 'ours',
    standard: 'GraphQL (October 2021) §3.13.1, §3.13.2: a condition concerns its field or fragment alone',
    matches: ({ operation, stock, ours, whole }) =>
      stock !== undefined &&
      (stock.errors ?? []).length === 0 &&
      isSame(ours, whole) &&
      /@(?:skip|include)\(/.test(operation.text),
  },
  {
    // Below a list of an @interfaceObject, stock loses what fragments on concrete types ask for, and reports no error.
    name: 'stock leaves out fields of fragments on concrete types, without an error',
    right: 'ours',
    standard: 'GraphQL (October 2021) §6.3.2: a fragment applies to each object of its type',
    matches: ({ operation, stock, ours, whole }) =>
      stock !== undefined &&
      (stock.errors ?? []).length === 0 &&
      isSame(ours, whole) &&
      operation.text.includes('... on ') &&
      isPartOf(plain(stock), plain(ours)),
  },
];

/** Whether data lack members of other data and are equal to them in all else. */
function isPartOf(part: unknown, all: unknown): boolean {
  if (typeof part !== 'object' || part === null) return part === all;
  if (typeof all !== 'object' || all === null || Array.isArray(part) !== Array.isArray(all)) return false;
  if (Array.isArray(part) && part.length !== (all as unknown[]).length) return false;
  const others = new Map(Object.entries(all));
  return Object.entries(part).every(([key, value]) => others.has(key) && isPartOf(value, others.get(key)));
}

/** Data with ordinary prototypes. */
function plain({ data }: Answered): unknown {
  return JSON.parse(JSON.stringify(data ?? null));
}

/** Whether data are the same to the letter. */
export function isSame(left: Answered, right: Answered): boolean {
  return JSON.stringify(left.data ?? null) === JSON.stringify(right.data ?? null);
}

function hasAliasIn({ document }: RandomOperation, names: ReadonlySet<string>): boolean {
  let found = false;
  visit(document, {
    [Kind.FIELD]({ alias, name }) {
      if (alias && alias.value !== name.value && names.has(alias.value)) found = true;
    },
  });
  return found;
}
