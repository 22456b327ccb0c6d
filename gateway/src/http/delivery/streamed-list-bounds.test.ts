import { until } from '@trellis/testkit';
import { describe, expect, it } from 'vitest';
import { OLD, NEW } from '../../testing/magazine-stage.ts';
import { readMultipart } from '../../testing/multipart-reader.ts';
import { sendQuery } from '../../testing/send-query.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';
import { stageCatalogue } from '../../testing/catalogue-stage.ts';

const stage = stageCatalogue();
const { gate, failing, open, asked } = stage;

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

  it('among the initial ones is what it is without @stream: no list that is null is pending', async () => {
    failing.add('p0');
    const response = await sendQuery(
      stage.gateway,
      '{ must(count: 3) @stream(initialCount: 2) { mustPrice } }',
      {
        accept: NEW,
      },
    );
    expect(await response.json()).toMatchObject({
      data: { must: null },
      errors: [{ path: ['must', 0, 'mustPrice'] }],
    });
  });
});

describe('The bounds of streamed lists', () => {
  const start = (settings: string): Promise<TestGateway> =>
    startTestGateway({ subgraphs: [stage.catalogue, stage.prices], settings });

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
    const three = await start('limits: { subgraphRequests: 3 }');
    await readMultipart(await sendQuery(three, query, { accept: NEW })).rest();
    expect(asked()).toEqual([1, 59]);
    await three.close();
    const two = await start('limits: { subgraphRequests: 2 }');
    const rejected = await sendQuery(two, query, { accept: NEW });
    expect(await rejected.json()).toMatchObject({ errors: [{ extensions: { code: 'QUERY_TOO_COMPLEX' } }] });
    await two.close();
  });

  it('are 100 streamed lists and deferred fragments of one operation', async () => {
    const fields = Array.from({ length: 101 }, (_, index) => `a${index}: names(count: 1) @stream`).join(' ');
    const bare = await startTestGateway({ subgraphs: [stage.catalogue, stage.prices] });
    const response = await sendQuery(bare, `{ ${fields} }`, { accept: NEW });
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'QUERY_TOO_COMPLEX' } }] });
    await bare.close();
  });

  it('are those of the client: who disconnects ends the requests', async () => {
    gate.close();
    const aborted = stage.prices.aborted();
    const controller = new AbortController();
    const response = await fetch(`${stage.gateway.url}/graphql`, {
      method: 'POST',
      headers: { accept: NEW, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ products(count: 60) @stream { price } }' }),
      signal: controller.signal,
    });
    await readMultipart(response).next();
    await until(() => asked().length === 1);
    controller.abort();
    await until(() => stage.prices.aborted() >= aborted + 1);
    gate.open();
    expect(asked()).toEqual([10]);
  });
});
