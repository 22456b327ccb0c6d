import { describe, expect, it } from 'vitest';
import { OLD, NEW } from '../../testing/magazine-stage.ts';
import { RawSocket } from '../../testing/raw-socket.ts';
import { sendQuery } from '../../testing/send-query.ts';
import { stageCatalogue } from '../../testing/catalogue-stage.ts';

const stage = stageCatalogue();
const { gate, open, asked } = stage;

describe('@stream', () => {
  it('answers the first items while others are still priced, in rounds of their own: deferSpec=20220824', async () => {
    const parts = await open('{ products(count: 4) @stream(initialCount: 2, label: "P") { id price } }', OLD);
    expect(await parts.next()).toEqual({
      data: {
        products: [
          { id: 'p0', price: 0 },
          { id: 'p1', price: 1 },
        ],
      },
      hasNext: true,
    });
    expect(await parts.rest()).toEqual([
      {
        incremental: [
          {
            label: 'P',
            path: ['products', 2],
            items: [
              { id: 'p2', price: 2 },
              { id: 'p3', price: 3 },
            ],
          },
        ],
        hasNext: false,
      },
    ]);
    expect(asked()).toEqual([2, 2]);
  });

  it('lists it as pending: incrementalSpec=v0.2', async () => {
    const parts = await open('{ all: products(count: 3) @stream(initialCount: 1) { price } }', NEW);
    expect(await parts.next()).toEqual({
      data: { all: [{ price: 0 }] },
      pending: [{ id: '0', path: ['all'] }],
      hasNext: true,
    });
    expect(await parts.rest()).toEqual([
      {
        incremental: [{ id: '0', items: [{ price: 1 }, { price: 2 }] }],
        completed: [{ id: '0' }],
        hasNext: false,
      },
    ]);
  });

  it('asks for the initial items alone before it answers', async () => {
    const parts = await open('{ products(count: 60) @stream(initialCount: 3) { price } }', NEW);
    await parts.next();
    expect(asked()[0]).toBe(3);
    const later = (await parts.rest()) as readonly { incremental: readonly { items: readonly object[] }[] }[];
    expect(asked()).toEqual([3, 10, 20, 27]); // twice as many each time
    expect(later.flatMap(({ incremental }) => incremental.flatMap(({ items }) => items))).toEqual(
      Array.from({ length: 57 }, (_, index) => ({ price: index + 3 })),
    );
  });

  it('does not wait for later items, however slow they are', async () => {
    gate.close();
    const parts = await open('{ products(count: 2) @stream { id seller { name } price } }', OLD);
    expect(await parts.next()).toEqual({ data: { products: [] }, hasNext: true });
    gate.open();
    expect(JSON.stringify(await parts.rest())).toContain('"seller of p1"');
  });

  it.each([
    [
      'the list is no longer than its initial items',
      '{ products(count: 2) @stream(initialCount: 2) { price } }',
      {},
    ],
    ['it is switched off', '{ products(count: 2) @stream(if: false) { price } }', {}],
    [
      'a variable switches it off',
      'query($on: Boolean!) { products(count: 2) @stream(if: $on) { price } }',
      { on: false },
    ],
  ])('has no effect where %s', async (_, query, variables) => {
    const response = await sendQuery(stage.gateway, query, { accept: NEW, variables });
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.json()).toEqual({ data: { products: [{ price: 0 }, { price: 1 }] } });
  });

  it('has no effect for clients that take no parts, nor in a batch', async () => {
    const query = '{ products(count: 2) @stream { price } }';
    const whole = { data: { products: [{ price: 0 }, { price: 1 }] } };
    expect((await stage.gateway.post({ query })).body).toEqual(whole);
    expect((await stage.gateway.post([{ query }], { accept: NEW })).bodies).toEqual([whole]);
    expect(asked()).toEqual([2, 2]);
  });

  it('takes its conditions and its count from variables', async () => {
    const query =
      'query($on: Boolean = true, $n: Int = 1) { products(count: 3) @stream(if: $on, initialCount: $n) { id } }';
    const first = async (variables: Readonly<Record<string, unknown>>): Promise<unknown> =>
      (await open(query, NEW, { variables })).next();
    expect(await first({})).toMatchObject({ data: { products: [{ id: 'p0' }] } });
    expect(await first({ n: 2 })).toMatchObject({ data: { products: [{ id: 'p0' }, { id: 'p1' }] } });
  });

  it('of lists in lists streams the outer one', async () => {
    const parts = await open('{ grid @stream(initialCount: 1) { price } }', NEW);
    expect(await parts.next()).toMatchObject({ data: { grid: [[{ price: 0 }, { price: 1 }]] } });
    expect(await parts.rest()).toMatchObject([
      { incremental: [{ items: [[{ price: 0 }, { price: 1 }, { price: 2 }], [{ price: 0 }]] }] },
    ]);
  });

  it('of values that nothing is fetched for brings them all together', async () => {
    const parts = await open('{ names(count: 500) @stream(initialCount: 3) }', NEW);
    expect(await parts.next()).toMatchObject({ data: { names: ['n0', null, 'n2'] } });
    expect(await parts.rest()).toHaveLength(1);
  });

  it('in a list makes one request a round for all of these lists', async () => {
    const parts = await open(
      '{ shelves(count: 3) { name products @stream(initialCount: 1) { price } } }',
      NEW,
    );
    expect(await parts.next()).toMatchObject({
      data: { shelves: [0, 1, 2].map((index) => ({ name: `s${index}`, products: [{ price: 0 }] })) },
      pending: [0, 1, 2].map((index) => ({ id: `${index}`, path: ['shelves', index, 'products'] })),
    });
    expect(await parts.rest()).toEqual([
      {
        incremental: [0, 1, 2].map((id) => ({ id: `${id}`, items: [{ price: 1 }, { price: 2 }] })),
        completed: [{ id: '0' }, { id: '1' }, { id: '2' }],
        hasNext: false,
      },
    ]);
    expect(asked()).toEqual([1, 2]); // equal products are asked for once
  });

  it('in a streamed list streams the lists of its first items; those of later items come with them', async () => {
    const parts = await open(
      '{ shelves(count: 2) @stream(initialCount: 1) { products @stream(initialCount: 1) { price } } }',
      NEW,
    );
    expect(await parts.next()).toMatchObject({
      data: { shelves: [{ products: [{ price: 0 }] }] },
      pending: [{ path: ['shelves'] }, { path: ['shelves', 0, 'products'] }],
    });
    const all = JSON.stringify(await parts.rest());
    expect(all).toContain('{"id":"1","items":[{"price":1},{"price":2}]}');
    expect(all).toContain('{"id":"0","items":[{"products":[{"price":0},{"price":1},{"price":2}]}]}');
  });

  it('and @defer go together: fragments of items follow their items', async () => {
    const parts = await open(
      '{ products(count: 3) @stream(initialCount: 1) { id ...@defer { price } } }',
      NEW,
    );
    expect(await parts.next()).toMatchObject({ data: { products: [{ id: 'p0' }] } });
    const updates = (await parts.rest()) as readonly object[];
    const text = JSON.stringify(updates);
    expect(text).toContain('"items":[{"id":"p1"},{"id":"p2"}]');
    for (const price of [0, 1, 2]) expect(text).toContain(`"data":{"price":${price}}`);
    expect(updates.at(-1)).toMatchObject({ hasNext: false });
  });

  it('in a deferred fragment begins when that has arrived', async () => {
    const parts = await open(
      '{ __typename ...@defer { products(count: 3) @stream(initialCount: 1) { price } } }',
      NEW,
    );
    expect(await parts.next()).toMatchObject({
      data: { __typename: 'Query' },
      pending: [{ id: '0', path: [] }],
    });
    expect(await parts.next()).toMatchObject({
      incremental: [{ id: '0', data: { products: [{ price: 0 }] } }],
      completed: [{ id: '0' }],
      pending: [{ id: '1', path: ['products'] }],
    });
    expect(await parts.rest()).toMatchObject([
      { incremental: [{ id: '1', items: [{ price: 1 }, { price: 2 }] }], completed: [{ id: '1' }] },
    ]);
  });

  it('of what a mutation returns is allowed', async () => {
    const parts = await open('mutation { tidy { products @stream(initialCount: 1) { price } } }', NEW);
    expect(await parts.next()).toMatchObject({ data: { tidy: { products: [{ price: 0 }] } } });
    expect(JSON.stringify(await parts.rest())).toContain('"price":2');
    expect(stage.catalogue.received).toHaveLength(1);
  });

  it('comes whole where another field needs all items', async () => {
    const response = await sendQuery(
      stage.gateway,
      '{ order { total lines @stream(initialCount: 1) { price } } }',
      {
        accept: NEW,
      },
    );
    expect(await response.json()).toEqual({
      data: { order: { total: 4, lines: [0, 1, 2, 3].map((price) => ({ price })) } },
    });
  });

  it('over WebSocket is a message for each part', async () => {
    const socket = await RawSocket.connect(`${stage.gateway.url}/graphql`, {});
    socket.subscribe('1', '{ products(count: 2) @stream(initialCount: 1) { price } }');
    expect(await socket.next()).toMatchObject({
      payload: { data: { products: [{ price: 0 }] }, hasNext: true },
    });
    expect(await socket.next()).toMatchObject({
      payload: { incremental: [{ path: ['products', 1], items: [{ price: 1 }] }], hasNext: false },
    });
    expect(await socket.next()).toEqual({ id: '1', type: 'complete' });
    socket.close();
  });
});

it('@stream is among the directives that introspection shows', async () => {
  const { body } = await stage.gateway.post({
    query: '{ __schema { directives { name locations args { name defaultValue } } } }',
  });
  const schema = body.data?.['__schema'] as { directives: readonly { name: string }[] } | undefined;
  expect(schema?.directives.find(({ name }) => name === 'stream')).toEqual({
    name: 'stream',
    locations: ['FIELD'],
    args: [
      { name: 'if', defaultValue: 'true' },
      { name: 'label', defaultValue: null },
      { name: 'initialCount', defaultValue: '0' },
    ],
  });
});
