import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gql } from 'graphql-tag';
import { FEDERATION, plain, startHandGraph, type HandGraph } from '../../test-fixtures/hand-graph.ts';

interface Shop {
  readonly id: string;
}

let graph: HandGraph;
let fair: HandGraph;

beforeAll(async () => {
  fair = await startFair();
  graph = await startHandGraph({
    shops: {
      typeDefs: gql`
        ${FEDERATION}
        type Query {
          shops: [Shop!]!
        }
        type Shop @key(fields: "id") {
          id: ID!
          currency: String!
          items: [Item!]!
        }
        type Item @key(fields: "id") {
          id: ID!
        }
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
      typeDefs: gql`
        ${FEDERATION}
        type Query {
          ready: Boolean
        }
        type Shop @key(fields: "id") @context(name: "shop") {
          id: ID!
          currency: String! @external
          offers: [Item!]!
        }
        type Item @key(fields: "id") {
          id: ID!
          price(currency: String @fromContext(field: "$shop { currency }")): String!
        }
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
afterAll(() => Promise.all([graph.close(), fair.close()]));

/** Places of two types, each of which has the unit of its prices in a field of its own. */
function startFair(): Promise<HandGraph> {
  const price = ({ id }: Shop, { unit }: { readonly unit: string | null }): string => `${id} in ${unit}`;
  return startHandGraph({
    places: {
      typeDefs: gql`
        ${FEDERATION}
        type Query {
          places: [Place!]!
          robbed: Market!
        }
        union Place = Shop | Market
        type Shop @key(fields: "id") {
          id: ID!
          currency: String!
        }
        type Market @key(fields: "id") {
          id: ID!
          coin: String
        }
      `,
      resolvers: {
        Query: {
          places: () => [
            { __typename: 'Market', id: 'old', coin: 'groats' },
            { __typename: 'Shop', id: 'cz', currency: 'CZK' },
            { __typename: 'Market', id: 'poor', coin: null },
          ],
          robbed: () => ({ id: 'robbed' }),
        },
        Market: {
          coin: ({ id, coin }: Shop & { readonly coin: unknown }) => {
            if (id === 'robbed') throw new Error('Stolen.');
            return coin;
          },
        },
      },
    },
    prices: {
      typeDefs: gql`
        ${FEDERATION}
        type Query {
          ready: Boolean
        }
        type Shop @key(fields: "id") @context(name: "place") {
          id: ID!
          currency: String! @external
          offers: [Offer!]!
        }
        type Market @key(fields: "id") @context(name: "place") {
          id: ID!
          coin: String @external
          stalls: [Stall!]!
        }
        type Stall {
          number: Int!
          offers: [Offer!]!
        }
        type Offer @key(fields: "id") {
          id: ID!
          price(
            unit: String @fromContext(field: "$place ... on Shop { currency } ... on Market { coin }")
          ): String
        }
      `,
      resolvers: {
        Shop: { offers: () => [{ id: 'tea' }] },
        Market: { stalls: () => [{ number: 1 }, { number: 2 }] },
        Stall: { offers: () => [{ id: 'tea' }] },
        Offer: { price },
      },
    },
  });
}

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

  it('takes it from whichever type is above, at any distance, and null for null', async () => {
    const text = `{ places { ... on Shop { offers { price } } ... on Market { stalls { offers { price } } } } }`;
    const stalls = (price: string): unknown => Array.from({ length: 2 }, () => ({ offers: [{ price }] }));
    expect(plain(await fair.run(text))).toEqual({
      data: {
        places: [
          { stalls: stalls('tea in groats') },
          { offers: [{ price: 'tea in CZK' }] },
          { stalls: stalls('tea in null') },
        ],
      },
    });
  });

  it('G10: asks no more often than it may: each further value is a request', async () => {
    const text = `{ places { ... on Shop { offers { price } } ... on Market { stalls { offers { price } } } } }`;
    const servers = ['places', 'prices'].map((name) => fair.server(name));
    const ask = async (maxRequests?: number): Promise<{ calls: number; codes: readonly unknown[] }> => {
      for (const { requests } of servers) requests.length = 0;
      const { errors = [] } = await fair.run(text, maxRequests === undefined ? {} : { maxRequests });
      const calls = servers.reduce((sum, { requests }) => sum + requests.length, 0);
      return { calls, codes: [...new Set(errors.map(({ extensions }) => extensions['code']))] };
    };
    const { calls } = await ask();
    expect(await ask(calls)).toEqual({ calls, codes: [] });
    for (const fewer of [1, 2])
      expect(await ask(calls - fewer)).toEqual({ calls: calls - fewer, codes: ['QUERY_TOO_COMPLEX'] });
  });

  it('fails the fields alone that take a value which is missing', async () => {
    const result = await fair.run(
      'query ($more: Boolean!) { robbed { stalls { number offers { id price @include(if: $more) } } } }',
      { variables: { more: true } },
    );
    const offers = [{ id: 'tea', price: null }];
    expect(plain(result)).toMatchObject({
      data: {
        robbed: {
          stalls: [
            { number: 1, offers },
            { number: 2, offers },
          ],
        },
      },
      errors: [0, 1].map((stall) => ({ path: ['robbed', 'stalls', stall, 'offers', 0, 'price'] })),
    });
    expect((await fair.run('{ robbed { stalls { offers { price } } } }')).errors).toHaveLength(2);
  });
});
