import { buildASTSchema, Kind } from 'graphql';
import { gql } from 'graphql-tag';
import { describe, expect, it } from 'vitest';
import { deepFreeze } from '../../test-fixtures/deep-freeze.ts';
import {
  entities,
  LISTS,
  ofItems,
  RandomSubgraph,
  rootKeys,
  roots,
  SCALARS,
  types,
} from '../../test-fixtures/random-subgraph.ts';
import { SelectionShape } from '../plan/response-shape.ts';
import type { PreparedField } from '../plan/prepared-operation.ts';
import { compileWriter } from '../plan/response-writer.ts';
import { FetchStep } from '../plan/plan.ts';
import { absent, Failure, internalFailure, isDataObject, unresolved, type DataObject } from './failure.ts';
import { completeData } from './complete-data.ts';
import { flatRepresentations } from './equal-objects.ts';
import { representationsOf } from './representations.ts';
import { MergedData } from './merged-data.ts';
import { readEvent } from './read-response.ts';

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

/** The entity, unless it is of another type than the object. */
function ofKind(object: DataObject, entity: unknown): unknown {
  const named = isDataObject(entity) ? entity['__typename'] : undefined;
  return named === undefined || named === object['__typename'] || named === 'Item' ? entity : undefined;
}

interface Merged {
  readonly data: MergedData;
  readonly model: Model;
}

/** Merges some responses; each write raises the version. */
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
  const later = found.filter(() => chance(20));
  const targets = found
    .filter((object) => !later.includes(object))
    .map((object) => (chance(20) ? [object, object] : [object]));
  const response = subgraph.entitiesResponse(targets);
  const copies: unknown =
    response instanceof Failure ? undefined : structuredClone(response.data?.['_entities']);
  const entitiesSent = data.mergeEntities(entities, targets, response);
  if (!Array.isArray(copies) || copies.length !== targets.length) return;
  for (const [index, objects] of targets.entries())
    for (const object of objects) model.note(entities, object, ofKind(object, copies[index]));
  mergeKnown(data, model, later, entitiesSent?.[below(targets.length + 1)]);
}

function mergeKnown(data: MergedData, model: Model, objects: readonly DataObject[], entity: unknown): void {
  if (entity === undefined || objects.length === 0) return;
  const [before, version] = [JSON.stringify(picture(data.root)), data.version];
  const copy: unknown = structuredClone(entity);
  data.mergeKnownEntity(entities, objects, entity);
  for (const object of objects) model.note(entities, object, ofKind(object, copy));
  if (JSON.stringify(picture(data.root)) !== before) expect(data.version).toBeGreaterThan(version);
}

const schema = buildASTSchema(gql`
  type Query {
    text: String
    price: String
    tags: [String]
    items: [Item]
  }
  interface Item {
    id: ID!
    title: String
    tags: [String]
    valueOf: String
  }
  type Book implements Item {
    id: ID!
    title: String
    tags: [String]
    valueOf: String
    price: String
  }
  type Film implements Item {
    id: ID!
    title: String
    tags: [String]
    valueOf: String
  }
`);

function field(name: string, selections?: readonly PreparedField[]): PreparedField {
  return {
    kind: 'field',
    node: { kind: Kind.FIELD, name: { kind: Kind.NAME, value: name } },
    name,
    responseKey: name,
    sourceKey: name,
    selections,
    denial: undefined,
    introspection: undefined,
    isHoisted: false,
    stream: undefined,
  };
}

const itemFields = ['__typename', 'id', 'title', 'tags', 'valueOf'].map((name) => field(name));
const queryType = schema.getQueryType();
if (!queryType) throw new Error('The schema has no queries.');
const shape = new SelectionShape(queryType, [field('text'), field('tags'), field('items', itemFields)], {
  schema,
  types,
  interfaceObjects: new Set(),
});
const asked = new FetchStep(
  {
    ...ofItems,
    requires: ['__typename', 'id', 'title'].map((key) => ({
      kind: 'field',
      key,
      name: key,
      selections: undefined,
    })),
  },
  types,
);

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
        for (const value of Object.values(item)) expect(value).not.toBeTypeOf('function');
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

  it('is not written by its readers: completion, the writer, representations', () => {
    const writer = compileWriter(shape);
    let written = 0;
    for (const seed of SEEDS) {
      const { data } = mergeRandomly(seed);
      const found = data.targetsOf(entities);
      deepFreeze(data.root);
      const { data: completed, errors } = completeData(shape, data.root, {
        introspection: undefined,
        initialCountOf: () => 0,
      });
      expect(completed !== null || errors.length > 0).toBe(true);
      const text = data.failed ? undefined : writer?.write(data.root, (value) => JSON.stringify(value));
      if (text !== undefined) {
        expect(text, `seed ${seed}`).toBe(JSON.stringify(completed));
        written += 1;
      }
      flatRepresentations(found, asked);
      representationsOf(found, asked, types, () => undefined);
    }
    expect(written).toBeGreaterThan(10);
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
