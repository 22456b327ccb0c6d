import { graphql } from '../generated/gql.ts';

export const CommentDetailsDocument = graphql(`
  fragment CommentDetails on Comment {
    id
    body
    createdAt
    author {
      id
      name
    }
    ... on TextComment {
      edited
    }
  }
`);

/** The post at once; its comments, which another subgraph holds, when they have arrived. */
export const PostDocument = graphql(`
  query Post($id: ID!, $after: String) {
    post(id: $id) {
      ...PostSummary
      ... @defer(label: "comments") {
        id
        commentsConnection(first: 10, after: $after) {
          edges {
            cursor
            node {
              ...CommentDetails
            }
          }
          pageInfo {
            endCursor
            hasNextPage
          }
        }
      }
    }
  }
`);

export const CommentAddedDocument = graphql(`
  subscription CommentAdded($postId: ID!) {
    commentAdded(postId: $postId) {
      ...CommentDetails
    }
  }
`);
