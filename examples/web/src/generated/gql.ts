/* eslint-disable */
import * as types from './graphql';
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';

/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  query Drafts {\n    me {\n      id\n      postsConnection(first: 50) {\n        edges {\n          cursor\n          node {\n            ...PostSummary\n          }\n        }\n      }\n    }\n  }\n": typeof types.DraftsDocument,
    "\n  mutation CreatePost($input: CreatePostInput!) {\n    createPost(input: $input) {\n      success\n      errors {\n        code\n      }\n      post {\n        ...PostSummary\n      }\n    }\n  }\n": typeof types.CreatePostDocument,
    "\n  mutation UpdatePost($id: ID!, $input: UpdatePostInput!) {\n    updatePost(id: $id, input: $input) {\n      ...PostSummary\n    }\n  }\n": typeof types.UpdatePostDocument,
    "\n  query EditedPost($id: ID!) {\n    post(id: $id) {\n      ...PostSummary\n    }\n  }\n": typeof types.EditedPostDocument,
    "\n  fragment CreatedPost on Post {\n    ...PostSummary\n  }\n": typeof types.CreatedPostFragmentDoc,
    "\n  query Feed($after: String) {\n    postsConnection(first: 12, after: $after) {\n      edges {\n        cursor\n        node {\n          ...PostSummary\n        }\n      }\n      pageInfo {\n        endCursor\n        hasNextPage\n      }\n    }\n  }\n": typeof types.FeedDocument,
    "\n  subscription PostCreated {\n    postCreated {\n      id\n    }\n  }\n": typeof types.PostCreatedDocument,
    "\n  fragment PostSummary on Post {\n    id\n    title\n    body\n    tags\n    published\n    createdAt\n    updatedAt\n    commentCount\n    author {\n      id\n      name\n    }\n  }\n": typeof types.PostSummaryFragmentDoc,
    "\n  mutation AddComment($postId: ID!, $body: String!) {\n    addComment(postId: $postId, body: $body) {\n      ...CommentDetails\n    }\n  }\n": typeof types.AddCommentDocument,
    "\n  mutation DeleteComment($id: ID!) {\n    deleteComment(id: $id)\n  }\n": typeof types.DeleteCommentDocument,
    "\n  mutation DeletePost($id: ID!) {\n    deletePost(id: $id)\n  }\n": typeof types.DeletePostDocument,
    "\n  mutation EditComment($id: ID!, $body: String!) {\n    editComment(id: $id, body: $body) {\n      ...CommentDetails\n    }\n  }\n": typeof types.EditCommentDocument,
    "\n  fragment CommentDetails on Comment {\n    id\n    body\n    createdAt\n    author {\n      id\n      name\n    }\n    ... on TextComment {\n      edited\n    }\n  }\n": typeof types.CommentDetailsFragmentDoc,
    "\n  query Post($id: ID!, $after: String) {\n    post(id: $id) {\n      ...PostSummary\n      ... @defer(label: \"comments\") {\n        id\n        commentsConnection(first: 10, after: $after) {\n          edges {\n            cursor\n            node {\n              ...CommentDetails\n            }\n          }\n          pageInfo {\n            endCursor\n            hasNextPage\n          }\n        }\n      }\n    }\n  }\n": typeof types.PostDocument,
    "\n  subscription CommentAdded($postId: ID!) {\n    commentAdded(postId: $postId) {\n      ...CommentDetails\n    }\n  }\n": typeof types.CommentAddedDocument,
    "\n  query WhoIsOnline @live(throttle: 3000) {\n    onlineUsers {\n      id\n      name\n    }\n  }\n": typeof types.WhoIsOnlineDocument,
    "\n  query Search($text: String!) {\n    search(query: $text, first: 20) {\n      __typename\n      ... on Post {\n        id\n        title\n        author {\n          id\n          name\n        }\n      }\n      ... on TextComment {\n        id\n        body\n        author {\n          id\n          name\n        }\n        post {\n          id\n          title\n        }\n      }\n      ... on User {\n        id\n        name\n        role\n      }\n    }\n  }\n": typeof types.SearchDocument,
    "\n  query Viewer {\n    me {\n      id\n      name\n      role\n    }\n  }\n": typeof types.ViewerDocument,
};
const documents: Documents = {
    "\n  query Drafts {\n    me {\n      id\n      postsConnection(first: 50) {\n        edges {\n          cursor\n          node {\n            ...PostSummary\n          }\n        }\n      }\n    }\n  }\n": types.DraftsDocument,
    "\n  mutation CreatePost($input: CreatePostInput!) {\n    createPost(input: $input) {\n      success\n      errors {\n        code\n      }\n      post {\n        ...PostSummary\n      }\n    }\n  }\n": types.CreatePostDocument,
    "\n  mutation UpdatePost($id: ID!, $input: UpdatePostInput!) {\n    updatePost(id: $id, input: $input) {\n      ...PostSummary\n    }\n  }\n": types.UpdatePostDocument,
    "\n  query EditedPost($id: ID!) {\n    post(id: $id) {\n      ...PostSummary\n    }\n  }\n": types.EditedPostDocument,
    "\n  fragment CreatedPost on Post {\n    ...PostSummary\n  }\n": types.CreatedPostFragmentDoc,
    "\n  query Feed($after: String) {\n    postsConnection(first: 12, after: $after) {\n      edges {\n        cursor\n        node {\n          ...PostSummary\n        }\n      }\n      pageInfo {\n        endCursor\n        hasNextPage\n      }\n    }\n  }\n": types.FeedDocument,
    "\n  subscription PostCreated {\n    postCreated {\n      id\n    }\n  }\n": types.PostCreatedDocument,
    "\n  fragment PostSummary on Post {\n    id\n    title\n    body\n    tags\n    published\n    createdAt\n    updatedAt\n    commentCount\n    author {\n      id\n      name\n    }\n  }\n": types.PostSummaryFragmentDoc,
    "\n  mutation AddComment($postId: ID!, $body: String!) {\n    addComment(postId: $postId, body: $body) {\n      ...CommentDetails\n    }\n  }\n": types.AddCommentDocument,
    "\n  mutation DeleteComment($id: ID!) {\n    deleteComment(id: $id)\n  }\n": types.DeleteCommentDocument,
    "\n  mutation DeletePost($id: ID!) {\n    deletePost(id: $id)\n  }\n": types.DeletePostDocument,
    "\n  mutation EditComment($id: ID!, $body: String!) {\n    editComment(id: $id, body: $body) {\n      ...CommentDetails\n    }\n  }\n": types.EditCommentDocument,
    "\n  fragment CommentDetails on Comment {\n    id\n    body\n    createdAt\n    author {\n      id\n      name\n    }\n    ... on TextComment {\n      edited\n    }\n  }\n": types.CommentDetailsFragmentDoc,
    "\n  query Post($id: ID!, $after: String) {\n    post(id: $id) {\n      ...PostSummary\n      ... @defer(label: \"comments\") {\n        id\n        commentsConnection(first: 10, after: $after) {\n          edges {\n            cursor\n            node {\n              ...CommentDetails\n            }\n          }\n          pageInfo {\n            endCursor\n            hasNextPage\n          }\n        }\n      }\n    }\n  }\n": types.PostDocument,
    "\n  subscription CommentAdded($postId: ID!) {\n    commentAdded(postId: $postId) {\n      ...CommentDetails\n    }\n  }\n": types.CommentAddedDocument,
    "\n  query WhoIsOnline @live(throttle: 3000) {\n    onlineUsers {\n      id\n      name\n    }\n  }\n": types.WhoIsOnlineDocument,
    "\n  query Search($text: String!) {\n    search(query: $text, first: 20) {\n      __typename\n      ... on Post {\n        id\n        title\n        author {\n          id\n          name\n        }\n      }\n      ... on TextComment {\n        id\n        body\n        author {\n          id\n          name\n        }\n        post {\n          id\n          title\n        }\n      }\n      ... on User {\n        id\n        name\n        role\n      }\n    }\n  }\n": types.SearchDocument,
    "\n  query Viewer {\n    me {\n      id\n      name\n      role\n    }\n  }\n": types.ViewerDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 *
 *
 * @example
 * ```ts
 * const query = graphql(`query GetUser($id: ID!) { user(id: $id) { name } }`);
 * ```
 *
 * The query argument is unknown!
 * Please regenerate the types.
 */
export function graphql(source: string): unknown;

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Drafts {\n    me {\n      id\n      postsConnection(first: 50) {\n        edges {\n          cursor\n          node {\n            ...PostSummary\n          }\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  query Drafts {\n    me {\n      id\n      postsConnection(first: 50) {\n        edges {\n          cursor\n          node {\n            ...PostSummary\n          }\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreatePost($input: CreatePostInput!) {\n    createPost(input: $input) {\n      success\n      errors {\n        code\n      }\n      post {\n        ...PostSummary\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation CreatePost($input: CreatePostInput!) {\n    createPost(input: $input) {\n      success\n      errors {\n        code\n      }\n      post {\n        ...PostSummary\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdatePost($id: ID!, $input: UpdatePostInput!) {\n    updatePost(id: $id, input: $input) {\n      ...PostSummary\n    }\n  }\n"): (typeof documents)["\n  mutation UpdatePost($id: ID!, $input: UpdatePostInput!) {\n    updatePost(id: $id, input: $input) {\n      ...PostSummary\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query EditedPost($id: ID!) {\n    post(id: $id) {\n      ...PostSummary\n    }\n  }\n"): (typeof documents)["\n  query EditedPost($id: ID!) {\n    post(id: $id) {\n      ...PostSummary\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment CreatedPost on Post {\n    ...PostSummary\n  }\n"): (typeof documents)["\n  fragment CreatedPost on Post {\n    ...PostSummary\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Feed($after: String) {\n    postsConnection(first: 12, after: $after) {\n      edges {\n        cursor\n        node {\n          ...PostSummary\n        }\n      }\n      pageInfo {\n        endCursor\n        hasNextPage\n      }\n    }\n  }\n"): (typeof documents)["\n  query Feed($after: String) {\n    postsConnection(first: 12, after: $after) {\n      edges {\n        cursor\n        node {\n          ...PostSummary\n        }\n      }\n      pageInfo {\n        endCursor\n        hasNextPage\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription PostCreated {\n    postCreated {\n      id\n    }\n  }\n"): (typeof documents)["\n  subscription PostCreated {\n    postCreated {\n      id\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment PostSummary on Post {\n    id\n    title\n    body\n    tags\n    published\n    createdAt\n    updatedAt\n    commentCount\n    author {\n      id\n      name\n    }\n  }\n"): (typeof documents)["\n  fragment PostSummary on Post {\n    id\n    title\n    body\n    tags\n    published\n    createdAt\n    updatedAt\n    commentCount\n    author {\n      id\n      name\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation AddComment($postId: ID!, $body: String!) {\n    addComment(postId: $postId, body: $body) {\n      ...CommentDetails\n    }\n  }\n"): (typeof documents)["\n  mutation AddComment($postId: ID!, $body: String!) {\n    addComment(postId: $postId, body: $body) {\n      ...CommentDetails\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DeleteComment($id: ID!) {\n    deleteComment(id: $id)\n  }\n"): (typeof documents)["\n  mutation DeleteComment($id: ID!) {\n    deleteComment(id: $id)\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DeletePost($id: ID!) {\n    deletePost(id: $id)\n  }\n"): (typeof documents)["\n  mutation DeletePost($id: ID!) {\n    deletePost(id: $id)\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation EditComment($id: ID!, $body: String!) {\n    editComment(id: $id, body: $body) {\n      ...CommentDetails\n    }\n  }\n"): (typeof documents)["\n  mutation EditComment($id: ID!, $body: String!) {\n    editComment(id: $id, body: $body) {\n      ...CommentDetails\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment CommentDetails on Comment {\n    id\n    body\n    createdAt\n    author {\n      id\n      name\n    }\n    ... on TextComment {\n      edited\n    }\n  }\n"): (typeof documents)["\n  fragment CommentDetails on Comment {\n    id\n    body\n    createdAt\n    author {\n      id\n      name\n    }\n    ... on TextComment {\n      edited\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Post($id: ID!, $after: String) {\n    post(id: $id) {\n      ...PostSummary\n      ... @defer(label: \"comments\") {\n        id\n        commentsConnection(first: 10, after: $after) {\n          edges {\n            cursor\n            node {\n              ...CommentDetails\n            }\n          }\n          pageInfo {\n            endCursor\n            hasNextPage\n          }\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  query Post($id: ID!, $after: String) {\n    post(id: $id) {\n      ...PostSummary\n      ... @defer(label: \"comments\") {\n        id\n        commentsConnection(first: 10, after: $after) {\n          edges {\n            cursor\n            node {\n              ...CommentDetails\n            }\n          }\n          pageInfo {\n            endCursor\n            hasNextPage\n          }\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription CommentAdded($postId: ID!) {\n    commentAdded(postId: $postId) {\n      ...CommentDetails\n    }\n  }\n"): (typeof documents)["\n  subscription CommentAdded($postId: ID!) {\n    commentAdded(postId: $postId) {\n      ...CommentDetails\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query WhoIsOnline @live(throttle: 3000) {\n    onlineUsers {\n      id\n      name\n    }\n  }\n"): (typeof documents)["\n  query WhoIsOnline @live(throttle: 3000) {\n    onlineUsers {\n      id\n      name\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Search($text: String!) {\n    search(query: $text, first: 20) {\n      __typename\n      ... on Post {\n        id\n        title\n        author {\n          id\n          name\n        }\n      }\n      ... on TextComment {\n        id\n        body\n        author {\n          id\n          name\n        }\n        post {\n          id\n          title\n        }\n      }\n      ... on User {\n        id\n        name\n        role\n      }\n    }\n  }\n"): (typeof documents)["\n  query Search($text: String!) {\n    search(query: $text, first: 20) {\n      __typename\n      ... on Post {\n        id\n        title\n        author {\n          id\n          name\n        }\n      }\n      ... on TextComment {\n        id\n        body\n        author {\n          id\n          name\n        }\n        post {\n          id\n          title\n        }\n      }\n      ... on User {\n        id\n        name\n        role\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Viewer {\n    me {\n      id\n      name\n      role\n    }\n  }\n"): (typeof documents)["\n  query Viewer {\n    me {\n      id\n      name\n      role\n    }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;