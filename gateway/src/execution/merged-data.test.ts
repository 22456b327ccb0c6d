import { describe, expect, it } from 'vitest';
import { createRandom, type Random } from '../../test-fixtures/synthetic/hash.ts';
import type { BroughtKeys, FetchFields } from '../plan/fetch-fields.ts';
import { FetchStep } from '../plan/fetch-step.ts';
import type { TypeIndex } from '../supergraph/type-index.ts';
import { absent, Failure, internalFailure, isDataObject, unresolved, type DataObject } from './failure.ts';
import { MergedData } from './merged-data.ts';
import { readEvent, type GraphResponse } from './read-response.ts';

/** Books and films are items. */
const types: TypeIndex = {
  isSubtype: (type, condition) => type === condition || (condition === 'Item' && type !== 'Query'),
  isObject: (type) => ['Query', 'Book', 'Film'].includes(type),
  fieldType: () => undefined,
};

const SCALARS = ['text', 'title', 'price'];
const LISTS = ['tags'];
/** Nobody asks for these; subgraphs send them all the same. */
const UNWANTED = ['secret', '__proto__', 'constructor', 'toString'];

const nothing: FetchFields = {
  id: undefined,
  subgraph: 'any',
  isMutation: false,
  bodyStart: '',
  variableNames: [],
  path: [],
  pathText: '',
  requires: undefined,
  expected: [],
  brings: new Map(),
  mergeKey: undefined,
  dependents: [],
  inputRewrites: [],
  outputRewrites: [],
  contextValues: [],
};

function bringing(keys: readonly string[]): BroughtKeys {
  return new Map(keys.map((key) => [key, key === 'items' ? bringing(['id', '__typename']) : undefined]));
}

const rootKeys = ['text', 'tags', 'items', 'price'];
const roots = new FetchStep(
  { ...nothing, expected: [{ typeCondition: undefined, keys: rootKeys }], brings: bringing(rootKeys) },
  types,
);
const ofItems = { ...nothing, path: ['items', '@'], pathText: 'items @', requires: [] };
const entities = new FetchStep(
  {
    ...ofItems,
    expected: [
      { typeCondition: 'Item', keys: ['title', 'tags'] },
      { typeCondition: 'Book', keys: ['price'] },
    ],
    brings: bringing(['title', 'tags', 'price']),
    dependents: [{ typeCondition: 'Book', key: 'price', needs: ['weight'] }],
  },
  types,
);

/** What a subgraph could send, as it is parsed. */
class RandomSubgraph {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = createRandom(seed);
  }

  get random(): Random {
    return this.#random;
  }

  rootResponse(): GraphResponse | Failure {
    const { chance } = this.#random;
    if (chance(10)) return internalFailure('The subgraph is unavailable.');
    const data = chance(10) ? null : { ...this.#values(rootKeys), items: chance(80) ? this.#items() : null };
    return this.#response(data, rootKeys);
  }

  entitiesResponse(targets: readonly (readonly DataObject[])[]): GraphResponse | Failure {
    const { chance } = this.#random;
    if (chance(10)) return internalFailure('The subgraph is unavailable.');
    const sent = targets.map(([object]) => this.#entity(String(object?.['__typename'])));
    if (chance(5)) sent.pop();
    return this.#response(chance(5) ? null : { _entities: sent }, ['_entities', 'title', 'tags', 'price']);
  }

  #items(): unknown[] {
    const { below, pick } = this.#random;
    return Array.from({ length: below(4) }, () => ({
      __typename: pick(['Book', 'Film']),
      id: `${below(3)}`,
    }));
  }

  #entity(typename: string): unknown {
    const { chance, pick } = this.#random;
    if (chance(10)) return pick([null, 'text', 7]);
    const named = chance(60) ? { __typename: pick([typename, typename, 'Item', 'Film']) } : {};
    return { ...named, ...this.#values(['title', 'tags', 'price', 'text']) };
  }

  #values(keys: readonly string[]): Record<string, unknown> {
    const { chance, below } = this.#random;
    const entries = [...keys, ...UNWANTED]
      .filter((key) => key !== 'items' && chance(70))
      .map((key) => [key, LISTS.includes(key) ? this.#list() : this.#scalar()]);
    return { ...(Object.fromEntries(entries) as object), ...(below(9) === 0 && { items: null }) };
  }

  #list(): unknown {
    const { chance, below } = this.#random;
    return chance(15) ? null : Array.from({ length: 1 + below(3) }, () => this.#scalar());
  }

  #scalar(): unknown {
    const { chance, below } = this.#random;
    return chance(30) ? null : `v${below(1_000)}`;
  }

  #response(data: unknown, keys: readonly string[]): GraphResponse | Failure {
    const { chance, below, pick } = this.#random;
    const path = (): unknown[] =>
      [pick(keys), below(4), pick([...keys, ...UNWANTED]), below(3)].slice(0, below(5));
    const errors = Array.from({ length: chance(40) ? 1 + below(2) : 0 }, () => ({
      message: 'No.',
      path: path(),
    }));
    return readEvent('any', JSON.parse(JSON.stringify({ data, ...(errors.length > 0 && { errors }) })));
  }
}

/** The values that were sent, by object and key: of two values the later one, and never null. */
class Model {
  readonly sent = new Map<DataObject, Map<string, unknown>>();

  note(step: FetchStep, object: DataObject, source: unknown): void {
    if (!isDataObject(source)) return;
    const own = this.sent.get(object) ?? new Map<string, unknown>();
    this.sent.set(object, own);
    const typename = object['__typename'];
    for (const key of step.expectedKeys(typeof typename === 'string' ? typename : undefined)) {
      if (key === 'items' || !Object.hasOwn(source, key)) continue;
      const value = plain(source[key]);
      own.set(key, own.has(key) ? later(own.get(key), value) : value);
    }
  }
}

function later(known: unknown, value: unknown): unknown {
  if (value === null) return known;
  if (!Array.isArray(known) || !Array.isArray(value) || known.length !== value.length) return value;
  return value.map((element: unknown, index): unknown => (element === null ? known[index] : element));
}

/** A failure stands for null. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  return value instanceof Failure ? null : value;
}

/** Everything that a reader could see of the data. */
function picture(value: unknown): unknown {
  if (value instanceof Failure)
    return { failure: value.reasons.map(({ message, below }) => [message, below]) };
  if (Array.isArray(value)) return value.map(picture);
  if (!isDataObject(value)) return value;
  const marks = [value[absent] === true, value[unresolved] !== undefined];
  return [marks, Object.entries(value).map(([key, below]) => [key, picture(below)])];
}

function isCompatible(object: DataObject, entity: unknown): boolean {
  const named = isDataObject(entity) ? entity['__typename'] : undefined;
  return named === undefined || named === object['__typename'] || named === 'Item';
}

interface Merged {
  readonly data: MergedData;
  readonly model: Model;
}

/** Merges some responses; after each, whoever saw the data before can tell. */
function mergeRandomly(seed: number): Merged {
  const subgraph = new RandomSubgraph(seed);
  const { random } = subgraph;
  const origins = new Map(random.chance(30) ? [['items @', { referenceKeys: ['__typename', 'id'] }]] : []);
  const data = new MergedData(types, origins);
  const model = new Model();
  const steps = 2 + random.below(5);
  for (let step = 0; step < steps; step += 1) {
    const [before, version] = [JSON.stringify(picture(data.root)), data.version];
    if (step === 0 || (origins.size === 0 && random.chance(30))) mergeRoot(data, model, subgraph);
    else mergeEntities(data, model, subgraph);
    if (JSON.stringify(picture(data.root)) !== before) expect(data.version).toBeGreaterThan(version);
  }
  return { data, model };
}

function mergeRoot(data: MergedData, model: Model, subgraph: RandomSubgraph): void {
  const response = subgraph.rootResponse();
  const copy = response instanceof Failure ? undefined : structuredClone(response.data);
  data.mergeRoot(roots, response);
  model.note(roots, data.root, copy);
}

function mergeEntities(data: MergedData, model: Model, subgraph: RandomSubgraph): void {
  const { chance, below } = subgraph.random;
  const found = data.targetsOf(entities);
  const [one] = found;
  if (one && chance(10)) return data.fail(entities, one, internalFailure('Its key is missing.'));
  if (one && chance(10))
    return data.failDependents(entities, found, new Map([['weight', internalFailure('It has none.')]]));
  const targets = found.map((object) => (chance(20) ? [object, object] : [object]));
  const response = subgraph.entitiesResponse(targets);
  const sent: unknown = response instanceof Failure ? undefined : response.data?.['_entities'];
  const copies: unknown = structuredClone(sent);
  data.mergeEntities(entities, targets, response);
  if (!Array.isArray(copies) || copies.length !== targets.length) return;
  for (const [index, objects] of targets.entries())
    for (const object of objects)
      if (isCompatible(object, copies[index])) model.note(entities, object, copies[index]);
  const known = below(targets.length + 1);
  const again = targets[known];
  if (again) data.mergeKnownEntity(entities, again, sent instanceof Array ? sent[known] : undefined);
}

const SEEDS = Array.from({ length: 400 }, (_, seed) => seed);

describe('Merged data, whatever subgraphs send', () => {
  it('has of two values the later one, and no null in the place of a value', () => {
    let compared = 0;
    for (const seed of SEEDS) {
      const { model } = mergeRandomly(seed);
      for (const [object, values] of model.sent)
        for (const [key, value] of values) {
          if (value === null) expect([null, undefined]).toContain(plain(object[key]) ?? null);
          else expect(plain(object[key]), `seed ${seed}, ${key}`).toEqual(value);
          compared += 1;
        }
    }
    expect(compared).toBeGreaterThan(1_000);
  });

  it('takes what was asked for, as own keys, and nothing else', () => {
    for (const seed of SEEDS) {
      const { root } = mergeRandomly(seed).data;
      expect(Object.getPrototypeOf(root)).toBeNull();
      for (const key of Object.keys(root)) expect([...rootKeys, '__typename']).toContain(key);
      for (const item of itemsOf(root)) {
        expect(Object.getPrototypeOf(item)).toBe(Object.prototype);
        for (const key of Object.keys(item))
          expect(['__typename', 'id', ...SCALARS, ...LISTS], `seed ${seed}`).toContain(key);
      }
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('has a failure, or null, for all that a fetch without a usable response was to bring', () => {
    for (const seed of SEEDS) {
      const { data } = mergeRandomly(seed);
      const found = data.targetsOf(entities);
      data.mergeRoot(roots, internalFailure('The subgraph is unavailable.'));
      data.mergeEntities(
        entities,
        found.map((object) => [object]),
        internalFailure('The subgraph is unavailable.'),
      );
      expect(data.failed).toBe(true);
      for (const key of rootKeys) expect(Object.hasOwn(data.root, key)).toBe(true);
      for (const object of found)
        for (const key of entities.expectedKeys(String(object['__typename'])))
          expect(Object.hasOwn(object, key), `seed ${seed}, ${key}`).toBe(true);
    }
  });

  it('raises its version where a null takes the place of nothing', () => {
    const data = new MergedData(types, new Map());
    data.mergeRoot(roots, readEvent('any', { data: { items: [{ __typename: 'Book', id: '1' }] } }));
    const [book] = data.targetsOf(entities);
    const { version } = data;
    if (book) data.mergeEntities(entities, [[book]], readEvent('any', { data: { _entities: [null] } }));
    expect(data.version).toBeGreaterThan(version);
    expect(book).toMatchObject({ title: null, tags: null, price: null });
    expect(data.failed).toBe(false);
  });
});

function itemsOf(root: DataObject): readonly DataObject[] {
  const { items } = root;
  return Array.isArray(items) ? items.filter(isDataObject) : [];
}
