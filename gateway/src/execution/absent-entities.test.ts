import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { catalogueChain } from '../../test-fixtures/graphs/catalogue-chain.ts';
import { keysMashup } from '../../test-fixtures/graphs/several-keys.ts';
import { partsOfPlaces } from '../../test-fixtures/graphs/parts-of-places.ts';
import { plain, startHandGraph, type HandGraph } from '../../test-fixtures/hand-graph.ts';

let chain: HandGraph;
let keys: HandGraph;
let warehouse: HandGraph;

beforeAll(async () => {
  [chain, keys, warehouse] = await Promise.all([
    startHandGraph(catalogueChain),
    startHandGraph(keysMashup),
    startHandGraph(partsOfPlaces),
  ]);
});
afterAll(() => Promise.all([chain.close(), keys.close(), warehouse.close()]));
afterEach(() => {
  warehouse.server('prices').requests.splice(0);
  chain.server('shop').requests.splice(0);
  chain.server('middle').intercept(undefined);
});

/** Lets the second subgraph break its own schema. */
function respondFromMiddle(entities: readonly unknown[]): void {
  chain.server('middle').intercept((_request, response) => {
    response.end(JSON.stringify({ data: { _entities: entities } }));
    return true;
  });
}

async function items(of: readonly string[], selection: string): Promise<unknown> {
  return plain(
    await chain.run(`query ($of: [ID!]!) { items(of: $of) { ${selection} } }`, { variables: { of } }),
  );
}

/** What the third subgraph got, call by call. */
function sent(): unknown {
  return chain.server('shop').requests.map(({ variables }) => variables['representations']);
}

/** Has the first subgraph answer with these parts, and asks for their prices. */
async function parts(answered: readonly unknown[]): Promise<unknown> {
  warehouse.server('places').intercept((_request, response) => {
    response.end(JSON.stringify({ data: { parts: answered } }));
    return true;
  });
  return plain(await warehouse.run('{ parts { price } }'));
}

function sentOfParts(): unknown {
  return warehouse.server('prices').requests.map(({ variables }) => variables['representations']);
}

describe('An entity that a subgraph answers with null', () => {
  it('is not sent to the next one; what hangs on it is null, and its neighbours are answered', async () => {
    expect(await items(['u1', 'gone', 'u2'], 'upc price')).toEqual({
      data: {
        items: [
          { upc: 'u1', price: 10 },
          { upc: 'gone', price: null },
          { upc: 'u2', price: 20 },
        ],
      },
    });
    expect(sent()).toEqual([
      [
        { __typename: 'Item', id: 'i1' },
        { __typename: 'Item', id: 'i2' },
      ],
    ]);
  });

  it('asks nothing more where it is the only one', async () => {
    expect(await items(['gone'], 'price postage')).toEqual({
      data: { items: [{ price: null, postage: null }] },
    });
    expect(sent()).toEqual([]);
  });
});

describe('A key that is null', () => {
  it('against the schema is not sent on, and the error says so for that entity alone', async () => {
    respondFromMiddle([
      { __typename: 'Item', id: 'i1' },
      { __typename: 'Item', id: null },
    ]);
    expect(await items(['u1', 'u2'], 'price')).toMatchObject({
      data: { items: [{ price: 10 }, { price: null }] },
      errors: [{ path: ['items', 1, 'price'], code: 'INTERNAL_SERVER_ERROR' }],
    });
    expect(sent()).toEqual([[{ __typename: 'Item', id: 'i1' }]]);
  });
});

describe('A compound key whose fields may be null', () => {
  const whole = { __typename: 'Part', place: { id: 'p1' }, serial: 's1' };

  it.each([
    ['null in all of its parts', { place: null, serial: null }],
    ['null in all that its objects hold', { place: { id: null }, serial: null }],
  ])('is not sent on where it is %s, and its neighbours are answered', async (_how, key) => {
    expect(await parts([{ __typename: 'Part', ...key }, whole])).toEqual({
      data: { parts: [{ price: null }, { price: 7 }] },
    });
    expect(sentOfParts()).toEqual([[whole]]);
  });

  it('is sent where a part of it has a value', async () => {
    const half = { __typename: 'Part', place: null, serial: 's2' };
    expect(await parts([half, whole])).toEqual({ data: { parts: [{ price: 7 }, { price: 7 }] } });
    expect(sentOfParts()).toEqual([[half, whole]]);
  });

  it('is not sent on with a list in the place of an object', async () => {
    expect(await parts([{ __typename: 'Part', place: [{ id: 'p2' }], serial: 's2' }, whole])).toMatchObject({
      data: { parts: [{ price: null }, { price: 7 }] },
      errors: [{ path: ['parts', 0, 'price'], code: 'INTERNAL_SERVER_ERROR' }],
    });
    expect(sentOfParts()).toEqual([[whole]]);
  });
});

describe('A compound key of which one field may be null by the schema', () => {
  it.each([
    ['null', { row: null }],
    ['missing', {}],
  ])('is not sent on where the other one is %s, and its neighbours are answered', async (_how, part) => {
    const halves = { __typename: 'Crate', row: 'r1', shelf: null };
    const whole = { __typename: 'Crate', row: 'r1', shelf: 's1' };
    warehouse.server('places').intercept((_request, response) => {
      const crates = [{ __typename: 'Crate', shelf: 's2', ...part }, halves, whole];
      response.end(JSON.stringify({ data: { crates } }));
      return true;
    });
    expect(plain(await warehouse.run('{ crates { price } }'))).toMatchObject({
      data: { crates: [{ price: null }, { price: 9 }, { price: 9 }] },
      errors: [{ path: ['crates', 0, 'price'], code: 'INTERNAL_SERVER_ERROR' }],
    });
    expect(sentOfParts()).toEqual([[halves, whole]]);
  });
});

describe('An input of @requires that is null', () => {
  it('is sent where the schema allows it', async () => {
    expect(await items(['u1', 'u2'], 'label')).toEqual({
      data: { items: [{ label: 'none' }, { label: 'fragile' }] },
    });
  });

  it('fails what needs it where the schema does not, and the rest is asked for', async () => {
    respondFromMiddle([
      { __typename: 'Item', id: 'i1', weight: 3 },
      { __typename: 'Item', id: 'i3', weight: null },
    ]);
    expect(await items(['u1', 'u2'], 'price postage')).toMatchObject({
      data: {
        items: [
          { price: 10, postage: 6 },
          { price: 30, postage: null },
        ],
      },
      errors: [{ path: ['items', 1, 'postage'], code: 'INTERNAL_SERVER_ERROR' }],
    });
    expect(JSON.stringify(sent())).not.toContain('null');
  });
});

describe('Keys that a subgraph does not resolve', () => {
  it('are not sent to it, though they are declared first', async () => {
    expect(plain(await keys.run('{ owner { things { name shout } } }'))).toEqual({
      data: { owner: { things: [{ name: 'one', shout: 'ONE of x/y/z' }] } },
    });
  });
});

describe('An operation for which there is nothing to ask', () => {
  it('answers null with an error for the field that could not be resolved', async () => {
    expect(plain(await keys.run('{ lost { name } }'))).toMatchObject({
      data: { lost: null },
      errors: [{ path: ['lost'], code: 'INTERNAL_SERVER_ERROR' }],
    });
  });
});
