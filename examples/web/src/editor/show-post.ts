import type { ApolloCache, Reference } from '@apollo/client';
import { graphql } from '../generated/gql.ts';
import type { PostSummaryFragment } from '../generated/graphql.ts';

const CreatedPost = graphql(`
  fragment CreatedPost on Post {
    ...PostSummary
  }
`);

interface StoredConnection {
  readonly edges: readonly { readonly node: Reference }[];
}

/** Puts a new post in front of the others and of its author's, where they have been loaded. */
export function showPost(cache: ApolloCache, post: PostSummaryFragment): void {
  const node = cache.writeFragment({ fragment: CreatedPost, fragmentName: 'CreatedPost', data: post });
  if (!node) return;
  const postsConnection = (stored: unknown): StoredConnection => prepend(stored as StoredConnection, node);
  cache.modify({ fields: { postsConnection } });
  cache.modify({ id: cache.identify(post.author), fields: { postsConnection } });
}

function prepend(existing: StoredConnection, node: Reference): StoredConnection {
  if (existing.edges.some((edge) => edge.node.__ref === node.__ref)) return existing;
  const edge = { __typename: 'PostEdge', cursor: '', node };
  return { ...existing, edges: [edge, ...existing.edges] };
}
