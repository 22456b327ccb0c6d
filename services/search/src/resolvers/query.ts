import { readCount, readPageBy, type Bounds } from '@trellis/subgraph-kit';
import type { QueryResolvers } from '../generated/resolver-types.ts';
import { readHitCursor } from '../hit-cursor.ts';
import { readWords } from '../search-input.ts';

const BOUNDS: Bounds = { max: 100, defaultValue: 20 };

/** Root fields that read. */
export const query: QueryResolvers = {
  search: (_root, args, { search }) => search.list(readWords(args), readCount('first', args.first, BOUNDS)),
  searchConnection: (_root, args, { search }) =>
    search.connect(readWords(args), readPageBy(args, BOUNDS, readHitCursor)),
};
