import { graphql } from '../generated/gql.ts';

/** What matches best, of every kind. */
export const SearchDocument = graphql(`
  query Search($text: String!) {
    search(query: $text, first: 20) {
      __typename
      ... on Post {
        id
        title
        author {
          id
          name
        }
      }
      ... on TextComment {
        id
        body
        author {
          id
          name
        }
        post {
          id
          title
        }
      }
      ... on User {
        id
        name
        role
      }
    }
  }
`);
