import { dateTimeScalar } from '@trellis/subgraph-kit';
import type { Resolvers } from '../generated/resolver-types.ts';
import { comment, textComment } from './comment.ts';
import { mutation } from './mutation.ts';
import { post } from './post.ts';
import { subscription } from './subscription.ts';
import { user } from './user.ts';

/** All resolvers of the subgraph. */
export const resolvers: Resolvers = {
  DateTime: dateTimeScalar,
  Comment: comment,
  Mutation: mutation,
  TextComment: textComment,
  Post: post,
  Subscription: subscription,
  User: user,
};
