import { until } from '@trellis/testkit';
import { describe, expect, it, vi } from 'vitest';
import { OLD, NEW, stageMagazine } from '../../testing/magazine-stage.ts';

const stage = stageMagazine();
const { open, send } = stage;

describe('@defer', () => {
  const text = '{ post { title ...@defer(label: "R") { rating } } }';

  it('answers the first part while the slow subgraph is still at work: deferSpec=20220824', async () => {
    stage.graph.reviewsGate.close();
    const parts = await open(text, OLD);
    expect(parts.status).toBe(200);
    expect(parts.headers.get('content-type')).toBe('multipart/mixed; boundary="-"; deferSpec=20220824');
    expect(await parts.next()).toEqual({ data: { post: { title: 'First' } }, hasNext: true });
    stage.graph.reviewsGate.open();
    expect(await parts.rest()).toEqual([
      { incremental: [{ label: 'R', path: ['post'], data: { rating: 5 } }], hasNext: false },
    ]);
  });

  it('answers the first part while the slow subgraph is still at work: incrementalSpec=v0.2', async () => {
    stage.graph.reviewsGate.close();
    const parts = await open(text, NEW);
    expect(parts.headers.get('content-type')).toBe('multipart/mixed; boundary="-"; incrementalSpec=v0.2');
    expect(await parts.next()).toEqual({
      data: { post: { title: 'First' } },
      pending: [{ id: '0', path: ['post'], label: 'R' }],
      hasNext: true,
    });
    stage.graph.reviewsGate.open();
    expect(await parts.rest()).toEqual([
      { incremental: [{ id: '0', data: { rating: 5 } }], completed: [{ id: '0' }], hasNext: false },
    ]);
  });

  it('sends parts in the order in which they are ready', async () => {
    stage.graph.reviewsGate.close();
    stage.graph.statsGate.close();
    const parts = await open('{ post { id ...@defer { rating } ...@defer { views } } }', OLD);
    await parts.next();
    stage.graph.statsGate.open();
    expect(await parts.next()).toEqual({
      incremental: [{ path: ['post'], data: { views: 100 } }],
      hasNext: true,
    });
    stage.graph.reviewsGate.open();
    expect(await parts.rest()).toEqual([
      { incremental: [{ path: ['post'], data: { rating: 5 } }], hasNext: false },
    ]);
  });

  it('holds the turn of its operation at the execution gate until all is fetched', async () => {
    const { executionGate } = stage.gateway.inside().resources;
    const turns = vi.spyOn(executionGate, 'run'); // which it still is
    stage.graph.reviewsGate.close();
    const parts = await open(text, NEW);
    await parts.next();
    expect(turns.mock.settledResults.map(({ type }) => type)).toEqual(['incomplete']);
    stage.graph.reviewsGate.open();
    await parts.rest();
    await until(() => turns.mock.settledResults[0]?.type === 'fulfilled');
    turns.mockRestore();
  });

  it('gives the turn back when the client leaves', async () => {
    const { executionGate } = stage.gateway.inside().resources;
    const turns = vi.spyOn(executionGate, 'run');
    stage.graph.reviewsGate.close();
    const leaving = new AbortController();
    const parts = await open(text, NEW, { signal: leaving.signal });
    await parts.next();
    leaving.abort();
    await until(() => turns.mock.settledResults[0]?.type === 'fulfilled');
    turns.mockRestore();
  });

  it('leaves an empty object where everything is deferred', async () => {
    for (const accept of [OLD, NEW]) {
      const parts = await open('{ post { ...@defer { title } } }', accept);
      expect(await parts.next()).toMatchObject({ data: { post: {} }, hasNext: true });
      expect(JSON.stringify(await parts.rest())).toContain('"data":{"title":"First"}');
    }
  });

  it('at the root answers the first part before any subgraph does', async () => {
    const parts = await open('{ __typename ...@defer { post { title } } }', NEW);
    expect(await parts.next()).toEqual({
      data: { __typename: 'Query' },
      pending: [{ id: '0', path: [] }],
      hasNext: true,
    });
    expect(await parts.rest()).toEqual([
      {
        incremental: [{ id: '0', data: { post: { title: 'First' } } }],
        completed: [{ id: '0' }],
        hasNext: false,
      },
    ]);
  });

  it('directly inside another one comes after it', async () => {
    stage.graph.reviewsGate.close();
    stage.graph.statsGate.close();
    stage.graph.reviews.forget();
    const parts = await open(
      '{ post { id ...@defer(label: "A") { ...@defer(label: "B") { rating } views } } }',
      NEW,
    );
    expect(await parts.next()).toMatchObject({ pending: [{ id: '0', label: 'A' }] });
    stage.graph.reviewsGate.open(); // B could come, but what it is inside of is missing
    await until(() => stage.graph.reviews.received.length > 0);
    stage.graph.statsGate.open();
    expect(await parts.next()).toEqual({
      pending: [{ id: '1', path: ['post'], label: 'B' }],
      incremental: [{ id: '0', data: { views: 100 } }],
      completed: [{ id: '0' }],
      hasNext: true,
    });
    expect(await parts.rest()).toEqual([
      { incremental: [{ id: '1', data: { rating: 5 } }], completed: [{ id: '1' }], hasNext: false },
    ]);
  });

  it('with nothing but another one inside is completed all the same', async () => {
    const parts = await open('{ post { ...@defer { ...@defer { rating } } } }', NEW);
    expect(await parts.next()).toMatchObject({ data: { post: {} }, pending: [{ id: '0' }] });
    expect(await parts.rest()).toEqual([
      { pending: [{ id: '1', path: ['post'] }], completed: [{ id: '0' }], hasNext: true },
      { incremental: [{ id: '1', data: { rating: 5 } }], completed: [{ id: '1' }], hasNext: false },
    ]);
  });

  it('in a list makes a part for each element, in fragments of every kind', async () => {
    const parts = await open(
      '{ posts { title ...Rated @defer(label: "R") } } fragment Rated on Post { ... on Post { rating } }',
      NEW,
    );
    expect(await parts.next()).toEqual({
      data: { posts: [{ title: 'First' }, { title: 'Second' }] },
      pending: [
        { id: '0', path: ['posts', 0], label: 'R' },
        { id: '1', path: ['posts', 1], label: 'R' },
      ],
      hasNext: true,
    });
    expect(await parts.rest()).toEqual([
      {
        incremental: [
          { id: '0', data: { rating: 5 } },
          { id: '1', data: { rating: 5 } },
        ],
        completed: [{ id: '0' }, { id: '1' }],
        hasNext: false,
      },
    ]);
  });

  it('has no effect where its condition is false', async () => {
    const conditional = 'query ($late: Boolean!) { post { title ...@defer(if: $late) { rating } } }';
    const whole = await send(conditional, { accept: OLD, variables: { late: false } });
    expect(whole.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await whole.json()).toEqual({ data: { post: { title: 'First', rating: 5 } } });
    const parts = await open(conditional, OLD, { variables: { late: true } });
    expect(await parts.next()).toEqual({ data: { post: { title: 'First' } }, hasNext: true });
    await parts.rest();
  });

  it('leaves introspection with what is around it', async () => {
    const parts = await open(
      '{ __type(name: "Post") { kind } ...@defer { __type(name: "Post") { name } post { title } } }',
      NEW,
    );
    expect(await parts.next()).toMatchObject({ data: { __type: { kind: 'OBJECT', name: 'Post' } } });
    expect(await parts.rest()).toMatchObject([{ incremental: [{ data: { post: { title: 'First' } } }] }]);
  });

  it('below what is null is nothing to wait for', async () => {
    const response = await send('{ noAuthor { name ...@defer { fame } } }', { accept: NEW });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual({ data: { noAuthor: null } });
  });

  it('below what an error made null is dropped', async () => {
    stage.graph.reviewsGate.close();
    const parts = await open(
      '{ post { unprintable ...@defer { rating } } later: post { ...@defer { views } } }',
      NEW,
    );
    expect(await parts.next()).toMatchObject({
      data: { post: null, later: {} },
      errors: [{ path: ['post', 'unprintable'] }],
      pending: [{ id: '0', path: ['later'] }],
      hasNext: true,
    });
    expect(await parts.rest()).toMatchObject([{ completed: [{ id: '0' }], hasNext: false }]);
  });

  it('of a mutation comes after the change', async () => {
    const parts = await open('mutation { publish { id ...@defer { rating } } }', OLD);
    expect(await parts.next()).toEqual({ data: { publish: { id: 'p2' } }, hasNext: true });
    expect(await parts.rest()).toEqual([
      { incremental: [{ path: ['publish'], data: { rating: 5 } }], hasNext: false },
    ]);
  });
});

describe('What came before', () => {
  const text = '{ post { author { name } ...@defer(label: "D") { title author { name fame } } } }';

  it('does not come again in incrementalSpec=v0.2', async () => {
    const parts = await open(text, NEW);
    expect(await parts.next()).toMatchObject({ data: { post: { author: { name: 'Ada' } } } });
    expect(await parts.rest()).toEqual([
      {
        incremental: [
          { id: '0', data: { title: 'First' } },
          { id: '0', subPath: ['author'], data: { fame: 7 } },
        ],
        completed: [{ id: '0' }],
        hasNext: false,
      },
    ]);
  });

  it('comes again in deferSpec=20220824, so that each part is the whole of its fragment', async () => {
    const parts = await open(text, OLD);
    await parts.next();
    expect(await parts.rest()).toEqual([
      {
        incremental: [
          { label: 'D', path: ['post'], data: { title: 'First', author: { name: 'Ada', fame: 7 } } },
        ],
        hasNext: false,
      },
    ]);
  });
});

describe('Errors of a deferred part', () => {
  it('belong to it', async () => {
    const old = await open('{ post { id ...@defer { lost rating } ...@defer { views } } }', OLD);
    expect(await old.next()).toEqual({ data: { post: { id: 'p1' } }, hasNext: true });
    const [items] = [(await old.rest()).flatMap((part) => (part as { incremental: unknown[] }).incremental)];
    expect(items).toContainEqual({ path: ['post'], data: { views: 100 } });
    expect(items).toContainEqual(
      expect.objectContaining({
        data: { lost: null, rating: 5 },
        errors: [expect.objectContaining({ path: ['post', 'lost'] })],
      }),
    );
    const parts = await open('{ post { id ...@defer { lost rating } } }', NEW);
    await parts.next();
    expect(await parts.rest()).toMatchObject([
      {
        incremental: [{ id: '0', data: { lost: null, rating: 5 }, errors: [{ path: ['post', 'lost'] }] }],
        completed: [{ id: '0' }],
      },
    ]);
  });

  it('that can leave no null fail the part, and nothing else', async () => {
    const old = await open('{ post { title ...@defer(label: "T") { torn } } }', OLD);
    expect(await old.next()).toEqual({ data: { post: { title: 'First' } }, hasNext: true });
    expect(await old.rest()).toMatchObject([
      {
        incremental: [{ label: 'T', path: ['post'], data: null, errors: [{ path: ['post', 'torn'] }] }],
        hasNext: false,
      },
    ]);
    const parts = await open('{ post { title ...@defer { torn } } }', NEW);
    await parts.next();
    const [last, ...none] = await parts.rest();
    expect(none).toEqual([]);
    expect(last).toMatchObject({
      completed: [{ id: '0', errors: [{ path: ['post', 'torn'] }] }],
      hasNext: false,
    });
    expect(last).not.toHaveProperty('incremental');
  });

  it('never take back what came before', async () => {
    const parts = await open('{ post { author { name } ...@defer { title author { oath } } } }', NEW);
    expect(await parts.next()).toMatchObject({ data: { post: { author: { name: 'Ada' } } } });
    expect(await parts.rest()).toMatchObject([
      { completed: [{ id: '0', errors: [{ path: ['post', 'author', 'oath'] }] }], hasNext: false },
    ]);
  });

  it('include what the caller is denied, and no subgraph is asked for that', async () => {
    stage.graph.stats.forget();
    const parts = await open('{ post { id ...@defer { income } } }', NEW);
    expect(await parts.next()).toMatchObject({ data: { post: { id: 'p1' } } });
    expect(await parts.rest()).toMatchObject([
      {
        incremental: [
          {
            data: { income: null },
            errors: [{ path: ['post', 'income'], extensions: { code: 'UNAUTHENTICATED' } }],
          },
        ],
      },
    ]);
    expect(stage.graph.stats.received).toEqual([]);
  });
});
