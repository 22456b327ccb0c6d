import type { ApolloCache, Reference } from '@apollo/client';
import type { CommentDetailsFragment } from '../generated/graphql.ts';
import { CommentDetailsDocument } from './post-query.ts';

/** As the cache stores it: with references in the place of comments. */
interface StoredConnection {
  readonly edges: readonly { readonly node: Reference }[];
}

/** Puts a new comment in front of those of its post, once: it comes by the mutation and by the subscription. */
export function showComment(cache: ApolloCache, postId: string, comment: CommentDetailsFragment): void {
  const node = cache.writeFragment({
    fragment: CommentDetailsDocument,
    fragmentName: 'CommentDetails',
    data: comment,
  });
  if (!node) return;
  let isNew = false;
  cache.modify({
    id: cache.identify({ __typename: 'Post', id: postId }),
    fields: {
      commentsConnection: (stored: unknown) => {
        const existing = stored as StoredConnection; // written by the queries of this folder
        isNew = !existing.edges.some((edge) => edge.node.__ref === node.__ref);
        const edge = { __typename: 'CommentEdge', cursor: '', node };
        return isNew ? { ...existing, edges: [edge, ...existing.edges] } : existing;
      },
    },
  });
  if (isNew) changeCount(cache, postId, 1);
}

/** Takes a deleted comment out of the list of its post. */
export function hideComment(cache: ApolloCache, postId: string, comment: CommentDetailsFragment): void {
  const id = cache.identify(comment);
  cache.modify({
    id: cache.identify({ __typename: 'Post', id: postId }),
    fields: {
      commentsConnection: (stored: unknown) => {
        const existing = stored as StoredConnection;
        return { ...existing, edges: existing.edges.filter(({ node }) => node.__ref !== id) };
      },
    },
  });
  changeCount(cache, postId, -1);
}

function changeCount(cache: ApolloCache, postId: string, by: number): void {
  cache.modify({
    id: cache.identify({ __typename: 'Post', id: postId }),
    fields: { commentCount: (count: number | null) => (typeof count === 'number' ? count + by : count) },
  });
}
