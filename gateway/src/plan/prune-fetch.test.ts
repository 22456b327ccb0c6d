import { expect, it } from 'vitest';
import { operationOf, type FetchFields } from './fetch-fields.ts';
import { pruneVariables } from './prune-fetch.ts';

it('leaves a field out of the type alone that takes the variable', () => {
  const operation =
    'query($representations:[_Any!]!$unit:String){_entities(representations:$representations){...on Offer{price(unit:$unit)}...on Rent{id price}}}';
  const fetch: FetchFields = {
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
  const { fields: remaining, leftOut } = pruneVariables(fetch, new Set(['unit']));
  expect(leftOut).toEqual([{ path: [{ kind: 'type', type: 'Offer' }], key: 'price', variable: 'unit' }]);
  expect(remaining?.expected).toEqual([
    { typeCondition: 'Offer', keys: [] },
    { typeCondition: 'Rent', keys: ['id', 'price'] },
  ]);
  expect(remaining && operationOf(remaining)).toBe(
    'query($representations:[_Any!]!){_entities(representations:$representations){...on Offer{__typename}...on Rent{id price}}}',
  );
});
