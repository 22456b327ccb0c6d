import type { OperationList } from './operation-lists.ts';
import { tableText } from './table-text.ts';

/** One list of `trellis operations list --lists --json`. */
export interface ListedList {
  readonly client: string;
  readonly version?: string | undefined;
  readonly operations: number;
  readonly published: string;
  readonly retires?: string | undefined;
}

const COLUMNS = ['CLIENT', 'VERSION', 'OPERATIONS', 'PUBLISHED', 'RETIRED'];

/** Lists as data. */
export function listedLists(lists: readonly OperationList[]): { readonly lists: readonly ListedList[] } {
  return { lists: lists.map(({ operations, ...about }) => ({ ...about, operations: operations.length })) };
}

/** A table of lists. */
export function listsTable(lists: readonly OperationList[]): string {
  return tableText([
    COLUMNS,
    ...lists.map(({ client, version = '(any)', operations, published, retires = '' }) => [
      client,
      version,
      String(operations.length),
      published,
      retires,
    ]),
  ]);
}
