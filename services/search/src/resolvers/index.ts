import type { Resolvers } from '../generated/resolver-types.ts';
import { readSearch } from '../search-input.ts';

/** All resolvers of the subgraph. */
export const resolvers: Resolvers = {
  Query: { search: (_root, args, { search }) => search(readSearch(args)) },
  SearchResult: { __resolveType: ({ kind }) => kind },
};
