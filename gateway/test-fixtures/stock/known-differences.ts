import { isDeepStrictEqual } from 'node:util';
import { Kind, visit } from 'graphql';
import type { Answered } from '../synthetic/compare.ts';
import type { RandomOperation } from '../synthetic/random-operation.ts';
import { errorPlaces, holesIn, NOWHERE } from './response-places.ts';
import type { Aspect, StockDifference } from './compare-gateways.ts';

/** A kind of difference between @apollo/gateway and this gateway, and who is right. */
export interface KnownDifference {
  readonly name: string;
  /** `both`: the standard leaves it open. */
  readonly right: 'ours' | 'stock' | 'both';
  /** What says so, with its section. */
  readonly standard: string;
  /** What it explains. Where ours is right, it explains nothing of a response of ours that is wrong. */
  readonly explains: readonly Aspect[];
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
    explains: ['data'],
    matches: ({ ours, stock }) => stock !== undefined && isDeepStrictEqual(plain(stock), plain(ours)),
  },
  {
    // Stock reads representations from the response, where an alias has put another value, or none, in the field's place.
    name: 'an alias takes the place of a field of a key or a requirement',
    right: 'ours',
    standard: 'GraphQL (October 2021) §2.7: an alias names the response key, and changes no other field',
    explains: ['data', 'errors'],
    matches: ({ operation, namesInFieldSets, stock, thrown }) =>
      (stock !== undefined || thrown?.includes('Cannot add selection of field') === true) &&
      hasAliasIn(operation, namesInFieldSets),
  },
  {
    // What @requires asks for stands beside what the client asks for, without an alias.
    name: 'a required field with arguments conflicts with the same field of the operation',
    right: 'ours',
    standard:
      'GraphQL (October 2021) §6.1: a valid operation is executed; a subgraph rejects stock’s by §5.3.2',
    explains: ['data', 'errors'],
    matches: ({ stock }) =>
      (stock?.errors ?? []).some(({ message }) =>
        message.includes('conflict because they have differing arguments'),
      ),
  },
  {
    name: 'stock has no plan for __typename of a type that a subgraph knows as an @interfaceObject',
    right: 'ours',
    standard: 'GraphQL (October 2021) §6.1: a valid operation is executed',
    explains: ['data', 'errors', 'effects'],
    matches: ({ thrown }) =>
      /We should have an edge from|potentially an interface object type/.test(thrown ?? ''),
  },
  {
    // Stock looks response keys up in objects with a prototype.
    name: 'a response key that objects inherit, such as constructor',
    right: 'ours',
    standard: 'GraphQL (October 2021) §6.3: each response key has its entry, whatever its name',
    explains: ['data', 'errors'],
    matches: ({ operation }) => hasAliasIn(operation, INHERITED),
  },
  {
    name: 'stock asks a subgraph that has an @interfaceObject for an entity by its concrete type',
    right: 'ours',
    standard: 'Apollo Federation 2.3, @interfaceObject: the subgraph knows the interface’s name alone',
    explains: ['data', 'errors'],
    matches: ({ stock }) =>
      (stock?.errors ?? []).some(({ message }) =>
        message.includes('no object or interface type of that name was found'),
      ),
  },
  {
    name: 'stock fails inside where a list of entities is merged',
    right: 'ours',
    standard: 'GraphQL (October 2021) §6.1: a valid operation is executed',
    explains: ['data', 'errors'],
    matches: ({ thrown }) => thrown?.includes('Invalid array length') === true,
  },
  {
    // What a condition leaves out takes the key with it that another fetch needs; stock reports no error.
    name: 'stock loses an entity beside what @skip or @include leaves out',
    right: 'ours',
    standard: 'GraphQL (October 2021) §3.13.1, §3.13.2: a condition concerns its field or fragment alone',
    explains: ['data'],
    matches: ({ aspects, operation, stock }) =>
      stock !== undefined && !aspects.has('errors') && /@(?:skip|include)\(/.test(operation.text),
  },
  {
    // Below a list of an @interfaceObject, stock loses what fragments on concrete types ask for, and reports no error.
    name: 'stock leaves out fields of fragments on concrete types, without an error',
    right: 'ours',
    standard: 'GraphQL (October 2021) §6.3.2: a fragment applies to each object of its type',
    explains: ['data'],
    matches: ({ aspects, operation, stock, ours }) =>
      stock !== undefined &&
      !aspects.has('errors') &&
      operation.text.includes('...') &&
      isLess(plain(stock), plain(ours)),
  },
  {
    name: 'stock loses an object of a type that a subgraph knows as an @interfaceObject, without an error',
    right: 'ours',
    standard:
      'GraphQL (October 2021) §6.4.4: a field is null by its resolver or by an error that is reported',
    explains: ['data'],
    matches: ({ aspects, hasInterfaceObject, stock, ours }) =>
      hasInterfaceObject &&
      stock !== undefined &&
      !aspects.has('errors') &&
      isLess(plain(stock), plain(ours)),
  },
  {
    // Stock leaves out what fragments on concrete types ask for; here the object is null, with an error.
    name: 'stock answers an object whose type no subgraph could say',
    right: 'ours',
    standard:
      'GraphQL (October 2021) §6.4.3 ResolveAbstractType: an object of an unknown type is a field error',
    explains: ['data', 'errors'],
    matches: ({ faults, hasInterfaceObject, stock, ours }) =>
      faults.length > 0 &&
      hasInterfaceObject &&
      stock !== undefined &&
      (ours.errors ?? []).length > 0 &&
      isLess(plain(ours), plain(stock)),
  },
  {
    // What @requires asks for stands beside what the client asks for, under one key.
    name: 'stock answers a field with the arguments that a requirement gives it',
    right: 'ours',
    standard:
      'GraphQL (October 2021) §6.4.1 CoerceArgumentValues: a field has the arguments of the operation',
    explains: ['data'],
    matches: ({ namesInFieldSets, requiringNames, stock, ours }) =>
      stock !== undefined &&
      holesIn(plain(stock), plain(ours)).every(({ path }) => {
        const key = String(path.at(-1));
        return namesInFieldSets.has(key) || requiringNames.has(key.replace(/\d+$/, '')); // aliases have a number
      }),
  },
  {
    // Stock's plan asks one subgraph for all that it has of a fragment, before it goes on.
    name: 'stock executes mutations in another order than the operation',
    right: 'ours',
    standard:
      'GraphQL (October 2021) §6.2.2: the fields of a mutation are executed one after the other, in their order',
    explains: ['effects'],
    matches: ({ effects }) => isDeepStrictEqual(effects.ours.toSorted(), effects.stock.toSorted()),
  },
  {
    name: 'stock executes a mutation twice where a fragment or condition repeats it',
    right: 'ours',
    standard: 'GraphQL (October 2021) §6.3.2 CollectFields: fields with one response key are executed once',
    explains: ['effects'],
    matches: ({ effects }) =>
      effects.stock.length > effects.ours.length &&
      isDeepStrictEqual([...new Set(effects.stock)].toSorted(), [...new Set(effects.ours)].toSorted()),
  },
  {
    name: 'stock reports a failed request without a path',
    right: 'ours',
    standard: 'GraphQL (October 2021) §7.1.2: an error of a field must have the path of its response',
    explains: ['errors'],
    matches: ({ faults, ours, stock }) =>
      faults.length > 0 &&
      (ours.errors ?? []).length > 0 &&
      (stock?.errors ?? []).some(({ path }) => path === undefined),
  },
  {
    name: 'stock reports a value that must not be null in extensions.valueCompletion',
    right: 'ours',
    standard:
      'GraphQL (October 2021) §6.4.4: a null in the place of a Non-Null type is a field error, §7.1.2',
    explains: ['errors'],
    matches: ({ ours, stock }) =>
      (ours.errors ?? []).length > 0 &&
      (stock?.errors ?? []).length === 0 &&
      stock?.extensions?.['valueCompletion'] !== undefined,
  },
  {
    // Stock asks for what conditions or types leave out, and reports what goes wrong with it.
    name: 'stock reports an error of a field that is not in the response',
    right: 'ours',
    standard:
      'GraphQL (October 2021) §3.13.1: a skipped field is not executed; §7.1.2: a path is of a response field',
    explains: ['errors'],
    matches({ ours, stock }) {
      const known = errorPlaces(ours);
      const places = stock ? errorPlaces(stock) : [];
      const more = places.filter((place) => !known.includes(place));
      return (
        more.length > 0 &&
        known.every((place) => places.includes(place)) &&
        more.every((place) => place !== NOWHERE && !isInResponse(place, ours.data))
      );
    },
  },
  {
    // Stock counts the items of a list that it has not asked a subgraph for, as those of another type, when it places an error.
    name: 'stock reports an error at another item of a list',
    right: 'ours',
    standard: 'GraphQL (October 2021) §7.1.2: the path is of the response field that has the error',
    explains: ['errors'],
    matches({ ours, stock }) {
      const known = errorPlaces(ours);
      const places = stock ? errorPlaces(stock) : [];
      const missing = known.filter((place) => !places.includes(place));
      const wrong = places.filter((place) => !known.includes(place));
      const namesOfWrong = new Set(wrong.map(withoutIndexes));
      return (
        missing.length > 0 &&
        missing.every((place) => namesOfWrong.has(withoutIndexes(place))) &&
        wrong.every((place) => place !== NOWHERE && !isInResponse(place, ours.data))
      );
    },
  },
  {
    // This gateway plans without what conditions leave out, so that it asks less, or elsewhere.
    name: 'stock needs a request that failed, and this gateway does not',
    right: 'both',
    standard: 'GraphQL (October 2021) §6: the response is the standard’s, where it is from is not',
    explains: ['data', 'errors'],
    matches: ({ faults, ours, whole }) =>
      faults.length > 0 && (ours.errors ?? []).length === 0 && isDeepStrictEqual(plain(ours), plain(whole)),
  },
  {
    // Such as one for the type of an object that a subgraph knows as an @interfaceObject, where another subgraph has said it.
    name: 'stock loses more to a failed request, of what this gateway answers rightly',
    right: 'both',
    standard: 'GraphQL (October 2021) §6.4.4: what fails is null; what a field needs is the gateway’s',
    explains: ['data'],
    matches: ({ faults, stock, ours, whole }) =>
      faults.length > 0 &&
      stock !== undefined &&
      isLess(plain(stock), plain(ours)) &&
      isLess(plain(ours), JSON.parse(JSON.stringify(whole.data ?? null))),
  },
];

/** The kinds of difference that this is one of; absent where they do not explain all of it. */
export function explain(difference: StockDifference): readonly KnownDifference[] | undefined {
  const isOursWrong = difference.aspects.has('standard');
  const found = knownDifferences.filter(
    (known) => (known.right === 'stock' || !isOursWrong) && known.matches(difference),
  );
  const explained = new Set(found.flatMap((known) => known.explains));
  const used = found.filter(({ explains }) => explains.some((aspect) => difference.aspects.has(aspect)));
  return [...difference.aspects].every((aspect) => explained.has(aspect)) ? used : undefined;
}

/** Whether data have nulls, or nothing, where other data have values, and are equal to them in all else. */
function isLess(less: unknown, more: unknown): boolean {
  if (less === null) return true;
  if (typeof less !== 'object') return less === more;
  if (typeof more !== 'object' || more === null || Array.isArray(less) !== Array.isArray(more)) return false;
  if (Array.isArray(less) && less.length !== (more as unknown[]).length) return false;
  const others = new Map(Object.entries(more));
  return Object.entries(less).every(([key, value]) => others.has(key) && isLess(value, others.get(key)));
}

/** @param place a path as `errorPlaces` writes it */
function isInResponse(place: string, data: unknown): boolean {
  let value = data;
  for (const key of pathOf(place)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return true;
}

/** @param place a path as `errorPlaces` writes it */
function withoutIndexes(place: string): string {
  return place === NOWHERE ? place : JSON.stringify(pathOf(place).filter((key) => typeof key === 'string'));
}

function pathOf(place: string): readonly (string | number)[] {
  return JSON.parse(place) as readonly (string | number)[]; // as `errorPlaces` wrote it
}

/** Data with ordinary prototypes. */
function plain({ data }: Answered): unknown {
  return JSON.parse(JSON.stringify(data ?? null));
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
