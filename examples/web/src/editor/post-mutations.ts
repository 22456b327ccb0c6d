import { graphql } from '../generated/gql.ts';

export const CreatePostDocument = graphql(`
  mutation CreatePost($input: CreatePostInput!) {
    createPost(input: $input) {
      success
      errors {
        code
      }
      post {
        ...PostSummary
      }
    }
  }
`);

export const UpdatePostDocument = graphql(`
  mutation UpdatePost($id: ID!, $input: UpdatePostInput!) {
    updatePost(id: $id, input: $input) {
      ...PostSummary
    }
  }
`);

/** What the form of a post begins with. */
export const EditedPostDocument = graphql(`
  query EditedPost($id: ID!) {
    post(id: $id) {
      ...PostSummary
    }
  }
`);
