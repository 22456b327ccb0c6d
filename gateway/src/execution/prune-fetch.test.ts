import { expect, it } from 'vitest';
import { operationOf } from '../plan/operation-of.ts';
import type { FetchStep } from '../plan/plan-steps.ts';
import { withoutVariables } from './prune-fetch.ts';

it('leaves a field out of the type alone that takes the variable', () => {
  const operation =
    'query($representations:[_Any!]!$unit:String){_entities(representations:$representations){...on Offer{price(unit:$unit)}...on Rent{id price}}}';
  const step: FetchStep = {
    kind: 'fetch',
    id: undefined,
    subgraph: 'prices',
    isMutation: false,
    bodyStart: `{"query":${JSON.stringify(operation)},"variables":`,
    variableNames: [],
    path: ['offers', '@'],
    pathText: 'offers.@',
    requires: [],
    expected: [
      { typeCondition: 'Offer', keys: ['price'] },
      { typeCondition: 'Rent', keys: ['id', 'price'] },
    ],
    brings: new Map(),
    mergeKey: undefined,
    dependents: [],
    inputRewrites: [],
    outputRewrites: [],
    contextValues: [],
  };
  const { step: remaining, leftOut } = withoutVariables(step, new Set(['unit']));
  expect(leftOut).toEqual([{ path: [{ kind: 'type', type: 'Offer' }], key: 'price', variable: 'unit' }]);
  expect(remaining?.expected).toEqual([
    { typeCondition: 'Offer', keys: [] },
    { typeCondition: 'Rent', keys: ['id', 'price'] },
  ]);
  expect(remaining && operationOf(remaining)).toBe(
    'query($representations:[_Any!]!){_entities(representations:$representations){...on Offer{__typename}...on Rent{id price}}}',
  );
});
