import { parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archive, emporium } from '../../test-fixtures/graphs/emporium.ts';
import { plain, startHandGraph, type HandGraph } from '../../test-fixtures/hand-graph.ts';

let shop: HandGraph;
let media: HandGraph;

beforeAll(async () => {
  [shop, media] = await Promise.all([startHandGraph(emporium), startHandGraph(archive)]);
});
afterAll(() => Promise.all([shop.close(), media.close()]));

/** What a client is answered. */
async function ask(graph: HandGraph, text: string, variables = {}): Promise<unknown> {
  return plain(await graph.run(text, { variables }));
}

describe('entities', () => {
  it('are found by a compound key with an object in it', async () => {
    expect(await ask(shop, '{ product { count } }')).toEqual({ data: { product: { count: 5 } } });
  });

  it('are found through a third subgraph where two share no key', async () => {
    expect(await ask(shop, '{ review { product { count shelf } } }')).toEqual({
      data: { review: { product: { count: 5, shelf: 'shelf of i-1' } } },
    });
  });

  it('S-042 are found by a key that clients can not see', async () => {
    expect(await ask(shop, '{ product { shelf } }')).toEqual({
      data: { product: { shelf: 'shelf of i-1' } },
    });
    expect(await ask(shop, '{ __type(name: "Product") { fields { name } } }')).not.toMatchObject({
      data: { __type: { fields: expect.arrayContaining([{ name: 'internal' }]) as unknown } },
    });
    const [problem] = validate(shop.supergraph.schema, parse('{ product { internal } }'));
    expect(problem?.message).toContain('Cannot query field "internal"');
  });
});

describe('@requires', () => {
  it('with arguments, twice and in disagreement, beside what the client asks for with others', async () => {
    expect(
      await ask(
        shop,
        '{ product { inDollars price inEuros other: price(currency: USD) area size { height } } }',
      ),
    ).toEqual({
      data: {
        product: {
          inDollars: '200 USD',
          price: 100,
          inEuros: '100 EUR',
          other: 200,
          area: 12,
          size: { height: 4 },
        },
      },
    });
  });

  it('with arguments from variables of the client beside it', async () => {
    const text = 'query ($in: Currency) { product { price(currency: $in) inEuros } }';
    expect(await ask(shop, text, { in: 'USD' })).toEqual({
      data: { product: { price: 200, inEuros: '100 EUR' } },
    });
  });
});

describe('@provides', () => {
  it('saves a call where the field is reached on that path, and nowhere else', async () => {
    shop.server('products').requests.length = 0;
    expect(await ask(shop, '{ review { product { name } } }')).toEqual({
      data: { review: { product: { name: 'provided' } } },
    });
    expect(shop.server('products').requests).toHaveLength(0);
    expect(await ask(shop, '{ gems { ... on Product { name } } }')).toEqual({
      data: { gems: [{}, { name: 'Lamp' }] },
    });
  });
});

describe('@shareable', () => {
  it('takes a field from the subgraph that is asked anyway', async () => {
    for (const name of ['names', 'products']) shop.server(name).requests.length = 0;
    expect(await ask(shop, '{ product { name } }')).toEqual({ data: { product: { name: 'Lamp' } } });
    expect(shop.server('names').requests).toHaveLength(0);
    expect(await ask(shop, '{ product { name motto } }')).toEqual({
      data: { product: { name: 'Lamp', motto: 'Let there be light' } },
    });
  });
});

describe('enums that subgraphs know in part', () => {
  it('are answered with every value that some subgraph has', async () => {
    expect(await ask(shop, '{ product { color reviews { shade } } }')).toEqual({
      data: { product: { color: 'RED', reviews: [{ shade: 'BLUE' }] } },
    });
  });

  it('take from clients what all subgraphs know', async () => {
    expect(await ask(shop, '{ painted(in: OIL) colored(in: OIL) }')).toEqual({
      data: { painted: 'OIL', colored: 'OIL' },
    });
    expect(await ask(shop, '{ __type(name: "Paint") { enumValues { name } } }')).toEqual({
      data: { __type: { enumValues: [{ name: 'OIL' }] } },
    });
  });
});

describe('abstract types across subgraphs', () => {
  it('unions whose members differ, with fields from elsewhere below them', async () => {
    const found = '__typename ... on Product { count } ... on Review { stars } ... on Order { total }';
    expect(await ask(shop, `{ found { ${found} } gems { ${found} } }`)).toEqual({
      data: {
        found: [
          { __typename: 'Order', total: 7 },
          { __typename: 'Product', count: 5 },
        ],
        gems: [
          { __typename: 'Review', stars: 4 },
          { __typename: 'Product', count: 5 },
        ],
      },
    });
  });

  it('interfaces that other subgraphs implement with other types', async () => {
    const text = `{ things { ...Some } }
      fragment Some on Thing { id ... on Product { reviews { ...Rated } } ...Rated ... on Order { total } }
      fragment Rated on Review { stars }`;
    expect(await ask(shop, text)).toEqual({
      data: {
        things: [
          { id: '1', reviews: [{ stars: 4 }] },
          { id: 'o1', total: 7 },
        ],
      },
    });
  });

  it('entity interfaces, with fields that another subgraph adds to all of them', async () => {
    expect(await ask(media, '{ media { title stars verdict ... on Book { pages } } }')).toEqual({
      data: {
        media: [
          { title: 'Emma', stars: 4, verdict: 'Emma: fine', pages: 300 },
          { title: 'Metropolis', stars: 4, verdict: 'Metropolis: fine' },
        ],
      },
    });
  });

  it('@interfaceObject: what an object is, its interface knows', async () => {
    expect(await ask(media, '{ best { __typename id stars title ... on Film { minutes } } }')).toEqual({
      data: { best: { __typename: 'Film', id: 'f', stars: 4, title: 'Metropolis', minutes: 90 } },
    });
    expect(await ask(media, '{ every { ... on Book { stars verdict } ... on Film { id } } }')).toEqual({
      data: { every: [{ stars: 4, verdict: 'Emma: fine' }, { id: 'f' }] },
    });
  });

  it.each(['things', 'media'])(
    '@interfaceObject: a key stands for one thing on one type, and for another on another, below %s',
    async (field) => {
      const text = `{ ${field} { ... on Book { price(used: true) stars: price } ... on Film { price stars } } }`;
      expect(await ask(media, text)).toEqual({
        data: {
          [field]: [
            { price: 1, stars: 10 },
            { price: 10, stars: 4 },
          ],
        },
      });
    },
  );
});

describe('what can not be answered', () => {
  it('is an error and not a silent null: an object of unknown type', async () => {
    expect(await ask(media, '{ lost { __typename stars } best { stars } }')).toEqual({
      data: { lost: null, best: { stars: 4 } },
      errors: [expect.objectContaining({ path: ['lost', '__typename'] })],
    });
  });

  it('is an error and no gap: what is asked of a type, of an object whose type could not be found out', async () => {
    const failed = { message: 'No pages.', path: ['_entities', 0, 'pages'] };
    media.server('catalog').intercept((_request, response) => {
      response.end(JSON.stringify({ data: { _entities: [null] }, errors: [failed] }));
      return true;
    });
    try {
      expect(await ask(media, '{ best { stars ... on Book { pages } } }')).toEqual({
        data: { best: null },
        errors: [expect.objectContaining({ message: 'No pages.', path: ['best', 'pages'] })],
      });
    } finally {
      media.server('catalog').intercept(undefined);
    }
  });
});

describe('directives and fragments', () => {
  it('@skip and @include on fields of other subgraphs, on fragments, and on what is required', async () => {
    const text = `query ($yes: Boolean!, $no: Boolean!) {
      product {
        count @include(if: $no) inEuros @skip(if: $no) price(currency: USD) @include(if: $yes)
        ... @include(if: $yes) { shelf @skip(if: $no) }
        ...Motto @skip(if: $yes)
      }
    }
    fragment Motto on Product { motto }`;
    expect(await ask(shop, text, { yes: true, no: false })).toEqual({
      data: { product: { inEuros: '100 EUR', price: 200, shelf: 'shelf of i-1' } },
    });
    expect(await ask(shop, text, { yes: false, no: true })).toEqual({
      data: { product: { count: 5, motto: 'Let there be light' } },
    });
  });

  it('one field through several fragments is asked for once and answered whole', async () => {
    const text = `{ product { size { width } ... on Thing { id } ...A ...B } }
      fragment A on Product { size { height } reviews { stars } }
      fragment B on Product { reviews { shade } count }`;
    expect(await ask(shop, text)).toEqual({
      data: {
        product: { size: { width: 3, height: 4 }, id: '1', reviews: [{ stars: 4, shade: 'BLUE' }], count: 5 },
      },
    });
  });
});
