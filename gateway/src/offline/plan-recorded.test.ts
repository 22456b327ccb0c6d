import { describe, expect, it } from 'vitest';
import type { AcceptedOperation } from './offline-graph.ts';
import { costOf, variablesOf } from './plan-recorded.ts';

function accepted(conditionVariables: readonly string[] = []): AcceptedOperation {
  return {
    kind: 'accepted',
    name: undefined,
    type: 'query',
    depth: 1,
    conditionVariables,
    costOf: (variables) => Number(variables['first'] ?? 1),
    plan: () => Promise.reject(new Error('It is not planned here.')),
  };
}

describe('Values of variables that were recorded', () => {
  it.each<[string, Readonly<Record<string, number>>, object]>([
    ['sizes of their own', { first: 3, ids: 2 }, { first: 3, ids: 2 }],
    [
      'sizes in input objects',
      { 'page.first': 3, 'page.within.last': 4 },
      { page: { first: 3, within: { last: 4 } } },
    ],
    ['L10: a size and one within it', { page: 5, 'page.first': 3 }, { page: { first: 3 } }],
    ['L10: the same the other way round', { 'page.first': 3, page: 5 }, { page: { first: 3 } }],
    ['L10: sizes at three depths', { a: 1, 'a.b.c': 2, 'a.b': 3 }, { a: { b: { c: 2 } } }],
  ])('have %s', (_what, slice, variables) => {
    const [values] = variablesOf(accepted(), { slices: [slice] });
    expect(JSON.parse(JSON.stringify(values))).toEqual(variables);
  });

  it('are taken with each decision, and the dearest counts', () => {
    const slices = [{ first: 3 }, { first: 8 }];
    expect(variablesOf(accepted(['on']), { slices })).toHaveLength(4);
    expect(costOf(accepted(['on']), { slices, conditions: [{ on: true }] })).toBe(8);
  });
});
