import { dateTimeScalar } from '@trellis/subgraph-kit';
import type { Resolvers } from '../generated/resolver-types.ts';
import { mutation } from './mutation.ts';
import { query } from './query.ts';
import { subscription } from './subscription.ts';
import { user } from './user.ts';

/** All resolvers of the subgraph. */
export const resolvers: Resolvers = {
  DateTime: dateTimeScalar,
  Mutation: mutation,
  Query: query,
  Subscription: subscription,
  User: user,
};
