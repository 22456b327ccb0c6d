import type { BroughtKeys, FetchFields } from '../src/plan/fetch-fields.ts';
import { FetchStep } from '../src/plan/plan.ts';
import type { TypeIndex } from '../src/supergraph/type-index.ts';
import { internalFailure, type DataObject, type Failure } from '../src/execution/failure.ts';
import { readEvent, type GraphResponse } from '../src/execution/read-response.ts';
import { createRandom, type Random } from '@trellis/testkit/random';

/** Books and films are items. */
export const types: TypeIndex = {
  isSubtype: (type, condition) => type === condition || (condition === 'Item' && type !== 'Query'),
  isObject: (type) => ['Query', 'Book', 'Film'].includes(type),
  fieldType: () => undefined,
};

/** Keys of scalars; one of them is the name of what objects inherit. */
export const SCALARS = ['text', 'title', 'price', 'valueOf'];
/** Keys of lists of scalars. */
export const LISTS = ['tags'];
/** Keys that are not asked for, and sent all the same. */
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

/** What {@link roots} brings. */
export const rootKeys = ['text', 'tags', 'items', 'price'];
/** A root fetch. */
export const roots = new FetchStep(
  { ...nothing, expected: [{ typeCondition: undefined, keys: rootKeys }], brings: bringing(rootKeys) },
  types,
);
/** A fetch about each item. */
export const ofItems = { ...nothing, path: ['items', '@'], pathText: 'items @', requires: [] };
/** Brings fields to items, some of them to books alone. */
export const entities = new FetchStep(
  {
    ...ofItems,
    expected: [
      { typeCondition: 'Item', keys: ['title', 'tags', 'valueOf'] },
      { typeCondition: 'Book', keys: ['price'] },
    ],
    brings: bringing(['title', 'tags', 'price', 'valueOf']),
    dependents: [{ typeCondition: 'Book', key: 'price', needs: ['weight'] }],
  },
  types,
);

/** What a subgraph could send, as it is parsed. */
export class RandomSubgraph {
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
    return { ...named, ...this.#values(['title', 'tags', 'price', 'text', 'valueOf']) };
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
