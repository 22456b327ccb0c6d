import { describe, expect, it } from 'vitest';
import type { TypeIndex } from '../supergraph/type-index.ts';
import { operationOf, type FetchFields } from './fetch-fields.ts';
import { FetchStep } from './plan.ts';

const KEYS = Array.from({ length: 12 }, (_, index) => `need${index}`);

const types: TypeIndex = {
  isSubtype: (type, condition) => type === condition,
  isObject: (type) => type === 'Book' || type === 'Film',
  fieldType: () => undefined,
};

const operation = `query($representations:[_Any!]!,$unit:String){_entities(representations:$representations){...on Book{${KEYS.map((key) => `of_${key}`).join(' ')} price(unit:$unit)}...on Film{title}}}`;

const fields: FetchFields = {
  id: undefined,
  subgraph: 'books',
  isMutation: false,
  bodyStart: `{"query":${JSON.stringify(operation)},"variables":`,
  variableNames: ['unit'],
  path: ['items', '@'],
  pathText: 'items @',
  requires: [
    { kind: 'field', key: '__typename', name: '__typename', selections: undefined },
    { kind: 'field', key: 'id', name: 'id', selections: undefined },
  ],
  expected: [
    { typeCondition: 'Book', keys: [...KEYS.map((key) => `of_${key}`), 'price'] },
    { typeCondition: 'Film', keys: ['title'] },
  ],
  brings: new Map(),
  mergeKey: undefined,
  dependents: KEYS.map((key) => ({ typeCondition: 'Book', key: `of_${key}`, needs: [key] })),
  inputRewrites: [],
  outputRewrites: [],
  contextValues: [],
};

const newStep = (): FetchStep => new FetchStep(fields, types);

/** Every set of the first names. */
function subsets(names: readonly string[]): readonly ReadonlySet<string>[] {
  return Array.from(
    { length: 2 ** names.length },
    (_, bits) => new Set(names.filter((_name, index) => ((bits >> index) & 1) === 1)),
  );
}

describe('What a fetch compiles at its first use', () => {
  it('is the same whatever was asked of it before', () => {
    const used = newStep();
    const names = ['Book', 'Nothing', 'Film', 'Book', 'Nothing', '', 'constructor', '__proto__'];
    for (const name of names) {
      expect(used.expectedKeys(name)).toEqual(newStep().expectedKeys(name));
      expect(used.layoutOf(name)).toEqual(newStep().layoutOf(name));
    }
    for (const missing of [...subsets(KEYS.slice(0, 6)), ...subsets(KEYS.slice(0, 6))]) {
      const [left, right] = [used.without(missing), newStep().without(missing)];
      expect(left && operationOf(left)).toBe(right && operationOf(right));
    }
    const unit = new Set(['unit']);
    expect(used.withoutVariables(unit)).toEqual(newStep().withoutVariables(unit));
  });

  it('is made once for each type of the supergraph, and not remembered for other names', () => {
    const step = newStep();
    expect(step.expectedKeys('Book')).toBe(step.expectedKeys('Book'));
    expect(step.layoutOf('Book')).toBe(step.layoutOf('Book'));
    expect(step.expectedKeys('Nothing')).not.toBe(step.expectedKeys('Nothing'));
    expect(step.layoutOf('Nothing')).not.toBe(step.layoutOf('Nothing'));
  });

  it('is bounded: after sixteen variants, others are pruned again', () => {
    const step = newStep();
    const variants = subsets(KEYS.slice(0, 6)).filter(({ size }) => size > 0);
    const first = variants.map((missing) => step.without(missing));
    const again = variants.map((missing) => step.without(missing));
    expect(again.filter((variant, index) => variant === first[index])).toHaveLength(16);
    expect(again.map((variant) => variant && operationOf(variant))).toEqual(
      first.map((variant) => variant && operationOf(variant)),
    );
  });

  it('has no variant where nothing remains', () => {
    const film = new FetchStep(
      { ...fields, expected: [{ typeCondition: 'Book', keys: ['of_need0'] }] },
      types,
    );
    expect(film.without(new Set(['need0']))).toBeUndefined();
    expect(film.without(new Set(['need0']))).toBeUndefined();
  });
});
