import { dateTimeScalar, jsonScalar } from '@trellis/subgraph-kit';
import type { Resolvers } from '../generated/resolver-types.ts';
import { mutation } from './mutation.ts';
import { post } from './post.ts';
import { query } from './query.ts';
import { subscription } from './subscription.ts';
import { user } from './user.ts';

/** All resolvers of the subgraph. Only posts are nodes and timestamped so far. */
export const resolvers: Resolvers = {
  DateTime: dateTimeScalar,
  JSON: jsonScalar,
  Node: { __resolveType: () => 'Post' },
  Timestamped: { __resolveType: () => 'Post' },
  Mutation: mutation,
  Post: post,
  Query: query,
  Subscription: subscription,
  User: user,
};
