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
  query documentsStreamedQuery($first: Int!) {
    posts(first: $first) @stream(label: "feed", initialCount: 2) {
      id
      title
      author {
        name
      }
    }
  }
`;

void graphql`
  fragment documentsFeed on Query {
    postsConnection(first: 3) @stream_connection(key: "documentsFeed_postsConnection", initial_count: 1) {
      edges {
        node {
          id
          author {
            name
          }
        }
      }
    }
  }
`;

void graphql`
  query documentsFeedQuery {
    ...documentsFeed
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

void graphql`
  fragment documentsPage on Query
  @refetchable(queryName: "documentsNextPageQuery")
  @argumentDefinitions(count: { type: "Int", defaultValue: 3 }, cursor: { type: "String" }) {
    postsConnection(first: $count, after: $cursor) @connection(key: "documentsPage_postsConnection") {
      edges {
        node {
          id
          title
        }
      }
    }
  }
`;

void graphql`
  query documentsFirstPageQuery {
    ...documentsPage
  }
`;

void graphql`
  fragment documentsPost on Post
  @refetchable(queryName: "documentsPostAgainQuery")
  @argumentDefinitions(count: { type: "Int", defaultValue: 2 }, cursor: { type: "String" }) {
    title
    commentsConnection(first: $count, after: $cursor) @connection(key: "documentsPost_commentsConnection") {
      edges {
        node {
          body
        }
      }
    }
  }
`;

void graphql`
  fragment documentsUser on User @refetchable(queryName: "documentsUserAgainQuery") {
    name
  }
`;

void graphql`
  fragment documentsComment on Comment @refetchable(queryName: "documentsCommentAgainQuery") {
    body
  }
`;
