import type { Resolvers } from '../generated/resolver-types.ts';
import { query } from './query.ts';

/** All resolvers of the subgraph. */
export const resolvers: Resolvers = {
  Node: { __resolveType: ({ kind }) => kind },
  Query: query,
  SearchResult: { __resolveType: ({ kind }) => kind },
};
