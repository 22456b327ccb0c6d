import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startCatalogueGraph, type CatalogueGraph } from '../../testing/catalogue-graph.ts';
import { createGate } from '../../testing/gate.ts';
import { OLD, NEW } from '../../testing/magazine-stage.ts';
import { readMultipart, type MultipartReader } from '../../testing/multipart-reader.ts';
import { RawSocket } from '../../testing/raw-socket.ts';
import { sendQuery, type Sending } from '../../testing/send-query.ts';
import type { SubgraphServer } from '../../testing/subgraph-server.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';
import { until } from '../../testing/until.ts';

const gate = createGate();
let graph: CatalogueGraph;
let catalogue: SubgraphServer;
let prices: SubgraphServer;
let gateway: TestGateway;
/** Ids of products that prices fails on. */
const failing = new Set<string>();

beforeAll(async () => {
  graph = await startCatalogueGraph({ pass: () => gate.pass(), failing });
  ({ catalogue, prices } = graph);
  gateway = await startTestGateway({ subgraphs: [catalogue, prices] });
});
afterAll(async () => {
  await gateway.close();
  await graph.close();
});
beforeEach(() => {
  catalogue.forget();
  prices.forget();
});
afterEach(() => {
  gate.open();
  failing.clear();
});

async function open(query: string, accept: string, sending: Sending = {}): Promise<MultipartReader> {
  return readMultipart(await sendQuery(gateway, query, { ...sending, accept }));
}

async function errorOf(query: string, variables: Sending['variables'] = {}): Promise<unknown> {
  const response = await gateway.post({ query, variables });
  const [error] = response.body.errors ?? [];
  return [error?.extensions['code'], error?.message];
}

/** How many products prices was asked about, by request. */
const asked = (): readonly number[] =>
  prices.received.map(({ variables }) => (variables['representations'] as unknown[]).length);

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

  it('announces the list: incrementalSpec=v0.2', async () => {
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
    const response = await sendQuery(gateway, query, { accept: NEW, variables });
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.json()).toEqual({ data: { products: [{ price: 0 }, { price: 1 }] } });
  });

  it('has no effect for clients that take no parts, nor in a batch', async () => {
    const query = '{ products(count: 2) @stream { price } }';
    const whole = { data: { products: [{ price: 0 }, { price: 1 }] } };
    expect((await gateway.post({ query })).body).toEqual(whole);
    expect((await gateway.post([{ query }], { accept: NEW })).bodies).toEqual([whole]);
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
    expect(catalogue.received).toHaveLength(1);
  });

  it('comes whole where another field needs all items', async () => {
    const response = await sendQuery(
      gateway,
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
    const socket = await RawSocket.connect(`${gateway.url}/graphql`, {});
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

describe('What goes wrong with items of a streamed list', () => {
  it('stands beside them, with their paths; null where they may be null', async () => {
    failing.add('p1');
    const query = '{ products(count: 3) @stream { id price broken } }';
    const parts = await open(query, NEW);
    await parts.next();
    const [update] = await parts.rest();
    expect(update).toMatchObject({
      incremental: [
        {
          items: [
            { id: 'p0', price: 0, broken: 'p0' },
            { id: 'p1', price: null, broken: 'p1' },
            { id: 'p2', price: 2, broken: null },
          ],
        },
      ],
      completed: [{ id: '0' }],
    });
    const { errors } =
      (update as { incremental: readonly { errors: readonly { path: unknown }[] }[] }).incremental[0] ?? {};
    expect(errors?.map(({ path }) => path)).toEqual([
      ['products', 1, 'price'],
      ['products', 2, 'broken'],
    ]);
  });

  it('makes an item null that may be', async () => {
    failing.add('p1');
    const parts = await open('{ products(count: 3) @stream(initialCount: 1) { mustPrice } }', OLD);
    await parts.next();
    expect(await parts.rest()).toMatchObject([
      {
        incremental: [
          {
            path: ['products', 1],
            items: [null, { mustPrice: 2 }],
            errors: [{ path: ['products', 1, 'mustPrice'], extensions: { code: 'NO_PRICE' } }],
          },
        ],
      },
    ]);
  });

  it.each([
    [
      NEW,
      {
        incremental: [{ id: '0', items: [{ mustPrice: 1 }] }],
        completed: [{ id: '0', errors: [{ path: ['must', 2, 'mustPrice'] }] }],
        hasNext: false,
      },
    ],
    [
      OLD,
      {
        incremental: [
          { path: ['must', 1], items: [{ mustPrice: 1 }] },
          { path: ['must', 2], items: null, errors: [{ path: ['must', 2, 'mustPrice'] }] },
        ],
        hasNext: false,
      },
    ],
  ])('ends a list that can hold no null, after what came before: %s', async (accept, expected) => {
    failing.add('p2');
    const parts = await open('{ must(count: 60) @stream(initialCount: 1) { mustPrice } }', accept);
    await parts.next();
    expect(await parts.rest()).toMatchObject([expected]);
    expect(asked()).toEqual([1, 10]); // what comes after is not asked for
  });

  it('among the initial ones is what it is without @stream: nothing is announced of a list that is null', async () => {
    failing.add('p0');
    const response = await sendQuery(gateway, '{ must(count: 3) @stream(initialCount: 2) { mustPrice } }', {
      accept: NEW,
    });
    expect(await response.json()).toMatchObject({
      data: { must: null },
      errors: [{ path: ['must', 0, 'mustPrice'] }],
    });
  });
});

describe('The bounds of streamed lists', () => {
  const start = (settings: string): Promise<TestGateway> =>
    startTestGateway({ subgraphs: [catalogue, prices], settings });

  it('end the response where it grows too large: what is pending fails', async () => {
    const small = await start('limits: { responseCharacters: 300 }');
    for (const [accept, expected] of [
      [
        NEW,
        {
          completed: [{ id: '0', errors: [{ extensions: { code: 'RESPONSE_TOO_LARGE' } }] }],
          hasNext: false,
        },
      ],
      [OLD, { incremental: [{ path: ['products', 11], items: null, errors: [{}] }], hasNext: false }],
    ] as const) {
      const response = await sendQuery(small, '{ products(count: 90) @stream(initialCount: 1) { price } }', {
        accept,
      });
      const parts = (await readMultipart(response).rest()) as readonly object[];
      expect(parts.at(-1)).toMatchObject(expected);
    }
    await small.close();
  });

  it('are the requests of the operation: where no more than the last are left, all items come at once', async () => {
    const query = '{ products(count: 60) @stream(initialCount: 1) { price } }';
    const three = await start('limits: { subgraphCalls: 3 }');
    await readMultipart(await sendQuery(three, query, { accept: NEW })).rest();
    expect(asked()).toEqual([1, 59]);
    await three.close();
    const two = await start('limits: { subgraphCalls: 2 }');
    const rejected = await sendQuery(two, query, { accept: NEW });
    expect(await rejected.json()).toMatchObject({ errors: [{ extensions: { code: 'QUERY_TOO_COMPLEX' } }] });
    await two.close();
  });

  it('are 100 streamed lists and deferred fragments of one operation', async () => {
    const fields = Array.from({ length: 101 }, (_, index) => `a${index}: names(count: 1) @stream`).join(' ');
    const bare = await startTestGateway({ subgraphs: [catalogue, prices] });
    const response = await sendQuery(bare, `{ ${fields} }`, { accept: NEW });
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'QUERY_TOO_COMPLEX' } }] });
    await bare.close();
  });

  it('are those of the client: who disconnects ends the requests', async () => {
    gate.close();
    const aborted = prices.aborted();
    const controller = new AbortController();
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { accept: NEW, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ products(count: 60) @stream { price } }' }),
      signal: controller.signal,
    });
    await readMultipart(response).next();
    await until(() => asked().length === 1);
    controller.abort();
    await until(() => prices.aborted() === aborted + 1);
    gate.open();
    expect(asked()).toEqual([10]);
  });
});

describe('@stream is rejected', () => {
  it.each([
    ['on what is no list', '{ order @stream { id } }', 'is no list'],
    ['with a negative count', '{ names(count: 1) @stream(initialCount: -1) }', '0 or more'],
    ['on a field of Mutation', 'mutation { restock @stream { id } }', 'Fields of Mutation'],
    ['on the field of a subscription', 'subscription { added @stream { id } }', 'Fields of Subscription'],
    [
      'with a label twice',
      '{ a: names(count: 1) @stream(label: "L") b: names(count: 1) @stream(label: "L") }',
      'more than one',
    ],
    [
      'with a label of @defer',
      '{ a: names(count: 1) @stream(label: "L") ...@defer(label: "L") { order { id } } }',
      'more than one',
    ],
    [
      'with a variable for a label',
      'query($l: String) { names(count: 1) @stream(label: $l) }',
      'has to be a text',
    ],
    [
      'beside the same list, streamed otherwise',
      '{ ...A names(count: 1) @stream } fragment A on Query { names(count: 1) @stream(initialCount: 1) }',
      'streamed in different ways',
    ],
    [
      'beside the same list, not streamed',
      '{ order { lines @stream { id } } ...{ order { lines { id } } } }',
      'streamed in different ways',
    ],
    ['with an unknown argument', '{ names(count: 1) @stream(count: 1) }', 'Unknown argument'],
    ['on a fragment', '{ ... @stream { names(count: 1) } }', 'may not be used'],
  ])('%s', async (_, query, message) => {
    expect(await errorOf(query)).toEqual(['GRAPHQL_VALIDATION_FAILED', expect.stringContaining(message)]);
  });

  it.each([
    ['null for a condition', 'query($v: Boolean) { names(count: 1) @stream(if: $v) }', null],
    ['null for a count', 'query($v: Int) { names(count: 1) @stream(initialCount: $v) }', null],
    ['a negative count', 'query($v: Int = 1) { names(count: 1) @stream(initialCount: $v) }', -1],
  ])('with %s by a variable', async (_, query, v) => {
    expect(await errorOf(query, { v })).toEqual(['BAD_USER_INPUT', expect.stringContaining('$v')]);
  });

  it('nowhere else: the same list twice, streamed alike, is one list', async () => {
    const query =
      '{ ...A products(count: 2) @stream(initialCount: 1) { id } } fragment A on Query { products(count: 2) @stream(initialCount: 1) { price } }';
    const parts = await open(query, NEW);
    expect(await parts.next()).toMatchObject({ data: { products: [{ id: 'p0', price: 0 }] } });
    expect(await parts.rest()).toMatchObject([{ incremental: [{ items: [{ id: 'p1', price: 1 }] }] }]);
  });
});

it('@stream is among the directives that introspection shows', async () => {
  const { body } = await gateway.post({
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
