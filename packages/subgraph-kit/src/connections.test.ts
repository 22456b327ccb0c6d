import { describe, expect, it } from 'vitest';
import { findConnection, idCursor, readPage, type ConnectionArguments } from './connections.ts';

const bounds = { max: 100, defaultValue: 20 };
const idAt = (place: number): string => `01941f29-7c00-7a00-8000-${String(place).padStart(12, '0')}`;
const list = Array.from({ length: 7 }, (_, place) => ({ id: idAt(place) }));

/** Finds in the list as a store does in its table. */
const find = ({ count, backward, after, before }: ReturnType<typeof readPage>): Promise<typeof list> => {
  const between = list.filter(({ id }) => (!after || id > after) && (!before || id < before));
  return Promise.resolve((backward ? between.toReversed() : between).slice(0, count));
};

const connect = (args: ConnectionArguments) => findConnection(readPage(args, bounds), find, idCursor);

describe('readPage', () => {
  it.each([
    [{}, { count: 20, backward: false }],
    [
      { first: null, last: null, after: null, before: null },
      { count: 20, backward: false },
    ],
    [{ first: 0 }, { count: 0, backward: false }],
    [
      { last: 3, before: idAt(5) },
      { count: 3, backward: true, before: idAt(5) },
    ],
    [
      { first: 3, last: null, after: idAt(5).toUpperCase() },
      { count: 3, backward: false, after: idAt(5) },
    ],
  ])('reads %j', (args, expected) =>
    expect(readPage(args, bounds)).toEqual({ after: undefined, before: undefined, ...expected }),
  );

  it.each([
    [{ first: -1 }, 'first', -1],
    [{ first: 101 }, 'first', 101],
    [{ last: -1 }, 'last', -1],
    [{ last: 101 }, 'last', 101],
    [{ first: 1, last: 2 }, 'last', 2],
    [{ after: 'x' }, 'after', 'x'],
    [{ before: '' }, 'before', ''],
  ])('S-099 rejects %j and names it', (args, field, invalidValue) =>
    expect(() => readPage(args, bounds)).toThrow(
      expect.objectContaining({ extensions: { code: 'BAD_USER_INPUT', field, invalidValue } }),
    ),
  );
});

describe('findConnection', () => {
  it.each([1, 2, 3, 6, 7, 8])('walks forward by %i and sees each item once', async (first) => {
    const seen: object[] = [];
    for (let after: string | null = null, more = true; more;) {
      const { nodes, pageInfo } = await connect({ first, after });
      seen.push(...nodes);
      [after, more] = [pageInfo.endCursor, pageInfo.hasNextPage];
    }
    expect(seen).toEqual(list);
  });

  it.each([1, 2, 3, 6, 7, 8])('walks backward by %i and sees each item once', async (last) => {
    const seen: object[] = [];
    for (let before: string | null = null, more = true; more;) {
      const { nodes, pageInfo } = await connect({ last, before });
      seen.unshift(...nodes);
      [before, more] = [pageInfo.startCursor, pageInfo.hasPreviousPage];
    }
    expect(seen).toEqual(list);
  });

  it('has edges in the order of the list, whichever way it was walked, and says where they are', async () => {
    expect(await connect({ last: 2, before: idAt(4), after: idAt(0) })).toEqual({
      edges: [2, 3].map((place) => ({ cursor: idAt(place), node: { id: idAt(place) } })),
      nodes: [{ id: idAt(2) }, { id: idAt(3) }],
      pageInfo: { hasNextPage: true, hasPreviousPage: true, startCursor: idAt(2), endCursor: idAt(3) },
    });
  });

  it.each([
    [{ first: 0 }, { hasNextPage: true, hasPreviousPage: false }],
    [{ last: 0 }, { hasNextPage: false, hasPreviousPage: true }],
    [
      { first: 5, after: idAt(6) },
      { hasNextPage: false, hasPreviousPage: true },
    ],
    [
      { last: 5, before: idAt(0) },
      { hasNextPage: true, hasPreviousPage: false },
    ],
    [
      { first: 5, after: idAt(5), before: idAt(2) },
      { hasNextPage: false, hasPreviousPage: true },
    ],
  ])('is empty for %j and has no cursors', async (args, more) =>
    expect(await connect(args)).toEqual({
      edges: [],
      nodes: [],
      pageInfo: { ...more, startCursor: null, endCursor: null },
    }),
  );
});
