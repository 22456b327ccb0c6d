import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FEDERATION, plain, startHandGraph, type HandGraph } from '../../test-fixtures/hand-graph.ts';

interface Shop {
  readonly id: string;
}

let graph: HandGraph;

beforeAll(async () => {
  graph = await startHandGraph({
    shops: {
      sdl: `${FEDERATION}
        type Query { shops: [Shop!]! }
        type Shop @key(fields: "id") { id: ID! currency: String! items: [Item!]! }
        type Item @key(fields: "id") { id: ID! }
      `,
      resolvers: {
        Query: { shops: () => [{ id: 'cz' }, { id: 'de' }] },
        Shop: {
          currency: ({ id }: Shop) => (id === 'cz' ? 'CZK' : 'EUR'),
          items: ({ id }: Shop) => [{ id: 'shared' }, { id: `own-${id}` }],
        },
      },
    },
    prices: {
      sdl: `${FEDERATION}
        type Query { ready: Boolean }
        type Shop @key(fields: "id") @context(name: "shop") { id: ID! currency: String! @external offers: [Item!]! }
        type Item @key(fields: "id") { id: ID! price(currency: String @fromContext(field: "$shop { currency }")): String! }
      `,
      resolvers: {
        Shop: { offers: ({ id }: Shop) => [{ id: 'shared' }, { id: `own-${id}` }] },
        Item: {
          price: ({ id }: Shop, { currency }: { readonly currency: string }) => `${id} in ${currency}`,
        },
      },
    },
  });
});
afterAll(() => graph.close());

describe('@fromContext', () => {
  it('gives a field the value from above it, also where one entity is below several', async () => {
    expect(plain(await graph.run('{ shops { id offers { price } } }'))).toEqual({
      data: {
        shops: [
          { id: 'cz', offers: [{ price: 'shared in CZK' }, { price: 'own-cz in CZK' }] },
          { id: 'de', offers: [{ price: 'shared in EUR' }, { price: 'own-de in EUR' }] },
        ],
      },
    });
  });
});
