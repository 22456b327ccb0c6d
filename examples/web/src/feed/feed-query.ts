import { graphql } from '../generated/gql.ts';

/** The newest posts, page by page. */
export const FeedDocument = graphql(`
  query Feed($after: String) {
    postsConnection(first: 12, after: $after) {
      edges {
        cursor
        node {
          ...PostSummary
        }
      }
      pageInfo {
        endCursor
        hasNextPage
      }
    }
  }
`);

/** Every post that becomes visible to all. */
export const PostCreatedDocument = graphql(`
  subscription PostCreated {
    postCreated {
      id
    }
  }
`);
