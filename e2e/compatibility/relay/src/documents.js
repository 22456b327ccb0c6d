import { graphql } from 'relay-runtime';

// What the compiler reads. The application imports the artifacts that it writes.

void graphql`
  query documentsPostsQuery($first: Int!) {
    posts(first: $first) {
      id
      title
      author {
        id
        name
      }
    }
  }
`;

void graphql`
  fragment documentsRest on Post {
    commentCount
  }
`;

void graphql`
  query documentsDeferredQuery($first: Int!) {
    posts(first: $first) {
      id
      title
      ...documentsRest @defer(label: "rest")
    }
  }
`;

void graphql`
  mutation documentsAddCommentMutation($postId: ID!, $body: String!) {
    addComment(postId: $postId, body: $body) {
      id
      body
    }
  }
`;

void graphql`
  subscription documentsCommentAddedSubscription($postId: ID!) {
    commentAdded(postId: $postId) {
      id
      body
    }
  }
`;

void graphql`
  query documentsLiveQuery @live {
    me {
      id
      name
    }
  }
`;
