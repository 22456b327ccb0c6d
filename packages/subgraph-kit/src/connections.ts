import { badUserInput } from '@trellis/subgraph-protocol';
import { readCount, readCursor, type Bounds } from './arguments.ts';

/** The arguments of a connection as clients send them. Cursor Connections specification §4. */
export interface ConnectionArguments {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

/** A part of an ordered list: what lies between two cursors, and of that so many from its beginning or its end. */
export interface Page<Cursor = string> {
  readonly count: number;
  /** Whether the items are those nearest to the end: `last`. */
  readonly backward: boolean;
  /** Undefined: from the beginning of the list. */
  readonly after: Cursor | undefined;
  /** Undefined: to the end of the list. */
  readonly before: Cursor | undefined;
}

/** Reads a cursor from outside; undefined when there is none. It throws BAD_USER_INPUT with the name of the argument. */
export type CursorReader<Cursor> = (field: string, value: string | null | undefined) => Cursor | undefined;

/**
 * Reads the arguments of a connection whose cursors are ids: see {@link readCursor}.
 *
 * @throws GraphQLError BAD_USER_INPUT for a number out of bounds, for what is no cursor, and for `first` and `last` together
 */
export function readPage(args: ConnectionArguments, bounds: Bounds): Page {
  return readPageBy(args, bounds, readCursor);
}

/** {@link readPage} for a list with cursors of its own. */
export function readPageBy<Cursor>(
  { first, after, last, before }: ConnectionArguments,
  bounds: Bounds,
  read: CursorReader<Cursor>,
): Page<Cursor> {
  const backward = typeof last === 'number';
  if (backward && typeof first === 'number') {
    throw badUserInput('"first" and "last" exclude each other; only one may be given.', 'last', last);
  }
  const count = backward ? readCount('last', last, bounds) : readCount('first', first, bounds);
  return { count, backward, after: read('after', after), before: read('before', before) };
}

/** An item of a connection, and where it is in the list. */
export interface Edge<Item> {
  readonly cursor: string;
  readonly node: Item;
}

/** A page as clients see it. */
export interface Connection<Item> {
  readonly edges: readonly Edge<Item>[];
  readonly nodes: readonly Item[];
  readonly pageInfo: PageInfo;
}

/** Whether there is more. Cursor Connections specification §5. */
interface PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
}

/**
 * Finds a page, and looks for one item more than was asked for, to know whether there is one. On the side on which the page was
 * not cut there is more where a cursor stands: the item that the cursor is of. Whether that one still exists is not looked up.
 *
 * @param find finds the items of a page, the first ones of the list first; of a page that goes backward, the last ones first
 */
export async function findConnection<Item, Cursor = string>(
  page: Page<Cursor>,
  find: (page: Page<Cursor>) => Promise<readonly Item[]>,
  cursorOf: (item: Item) => string,
): Promise<Connection<Item>> {
  const { count, backward, after, before } = page;
  const found = await find({ ...page, count: count + 1 });
  const nodes = backward ? found.slice(0, count).toReversed() : found.slice(0, count);
  const edges = nodes.map((node) => ({ cursor: cursorOf(node), node }));
  const hasMore = found.length > count;
  return {
    edges,
    nodes,
    pageInfo: {
      hasNextPage: backward ? before !== undefined : hasMore,
      hasPreviousPage: backward ? hasMore : after !== undefined,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

/** The cursor of an item whose id is its place in the list. */
export function idCursor({ id }: { readonly id: string }): string {
  return id;
}
