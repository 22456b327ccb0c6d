import { describe, expect, it } from 'vitest';
import {
  cacheHitsOf,
  directionFor,
  durationOf,
  fetchesOf,
  layOut,
  planOf,
  summarize,
  type QueryPlan,
} from './query-plan.ts';

const fetch = (subgraph: string, ...times: readonly (readonly [number, number])[]): QueryPlan => ({
  kind: 'fetch',
  subgraph,
  path: [],
  operation: '{ a }',
  calls: times.map(([startMs, durationMs]) => ({ startMs, durationMs, bytes: 10, entities: 2, status: 200 })),
});

const NESTED: QueryPlan = {
  kind: 'sequence',
  steps: [
    fetch('users', [1, 4]),
    {
      kind: 'parallel',
      steps: [fetch('posts', [6, 2]), { kind: 'sequence', steps: [fetch('a'), fetch('b')] }],
    },
    fetch('comments', [9, 3], [10, 4]),
  ],
};

function drawn(plan: QueryPlan): readonly string[] {
  return layOut(plan).placed.map(
    ({ fetch: { subgraph }, column, row, after, isDeferred }) =>
      `${subgraph} ${column}/${row}${isDeferred ? ' deferred' : ''} ← ${after.map((one) => one.fetch.subgraph).join()}`,
  );
}

describe('A plan as a picture', () => {
  it('has what runs one after the other in columns, and what runs at a time in rows', () => {
    expect(drawn(NESTED)).toEqual([
      'users 0/0 ← ',
      'posts 1/0 ← users',
      'a 1/1 ← users',
      'b 2/1 ← a',
      'comments 3/0 ← posts,b',
    ]);
    expect(layOut(NESTED)).toMatchObject({ columns: 4, rows: 2 });
  });

  it('has what is deferred behind what is first', () => {
    const plan: QueryPlan = {
      kind: 'defer',
      first: fetch('posts'),
      later: [{ plan: { kind: 'defer', first: fetch('comments'), later: [] } }, { plan: fetch('users') }],
    };
    expect(drawn(plan)).toEqual([
      'posts 0/0 ← ',
      'comments 1/0 deferred ← posts',
      'users 1/1 deferred ← posts',
    ]);
  });

  it('has the fetches of an event behind the subscription', () => {
    const plan: QueryPlan = { kind: 'subscription', primary: fetch('posts'), rest: fetch('users') };
    expect(drawn(plan)).toEqual(['posts 0/0 ← ', 'users 1/0 ← posts']);
  });

  it('may be empty', () => {
    expect(layOut({ kind: 'defer', first: null, later: [] })).toMatchObject({
      placed: [],
      columns: 0,
      rows: 0,
    });
    expect(planOf({ plan: null })).toBeUndefined();
    expect(planOf(undefined)).toBeUndefined();
  });
});

describe('The requests of a plan', () => {
  it('are summed up for each fetch, from the first to the last', () => {
    const last = fetchesOf(NESTED).at(-1);
    expect(last && summarize(last)).toEqual({
      calls: 2,
      milliseconds: 5,
      bytes: 20,
      entities: 4,
      hasFailed: false,
    });
    expect(durationOf(NESTED)).toBe(13);
  });

  it('are none where nothing was asked', () => {
    expect(
      fetchesOf(NESTED)
        .filter((one) => !summarize(one))
        .map(({ subgraph }) => subgraph),
    ).toEqual(['a', 'b']);
    expect(durationOf({ kind: 'sequence', steps: [] })).toBe(0);
  });
});

describe('The cache hits of a fetch', () => {
  const one = fetchesOf(fetch('users'))[0];
  if (!one) throw new Error('There is no fetch.');

  it('are all of it by the response cache, or so many of its objects', () => {
    const entities = { wanted: 20, reused: 17 };
    expect(cacheHitsOf({ ...one, responseCache: 'hit', entities })).toBe('response');
    expect(cacheHitsOf({ ...one, responseCache: 'miss', entities })).toEqual({ hits: 17, of: 20 });
    expect(cacheHitsOf(one)).toBeUndefined();
  });
});

describe('A picture', () => {
  it.each([
    [5, 1, 5, 'right'],
    [5, 1, 2, 'down'],
    [5, 3, 2, 'down'],
    [3, 3, 2, 'right'],
    [1, 5, 2, 'right'],
  ] as const)('of %i columns and %i rows, where %i fit, goes %s', (columns, rows, fitting, direction) => {
    expect(directionFor({ columns, rows }, fitting)).toBe(direction);
  });
});
