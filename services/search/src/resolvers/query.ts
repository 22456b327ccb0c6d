import { badUserInput } from '@trellis/subgraph-protocol';
import { readCount, readPageBy, type Bounds } from '@trellis/subgraph-kit';
import type { QueryResolvers } from '../generated/resolver-types.ts';
import type { Thing } from '../hit.ts';
import { readHitCursor } from '../hit-cursor.ts';
import { readWords } from '../search-input.ts';

const BOUNDS: Bounds = { max: 100, defaultValue: 20 };

const MAX_NODES = 100;

/** Root fields that read. */
export const query: QueryResolvers = {
  node: (_root, { id }, { nodes }) => nodes.load(id),
  nodes: (_root, { ids }, { nodes }) => {
    // Each by itself, so that one that fails is null alone; the generated type knows no promise of null.
    if (ids.length <= MAX_NODES) return ids.map((id) => nodes.load(id) as Promise<Thing>);
    throw badUserInput(`"ids" must have at most ${MAX_NODES} ids.`, 'ids', ids);
  },
  search: (_root, args, { search }) => search.list(readWords(args), readCount('first', args.first, BOUNDS)),
  searchConnection: (_root, args, { search }) =>
    search.connect(readWords(args), readPageBy(args, BOUNDS, readHitCursor)),
};
