// Generated from ../schema.graphql by scripts/generate-types.ts. Change the schema, then run: npm run generate

import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { TextCommentModel, PostModel, UserModel } from '../resolvers/models.ts';
import type { SubgraphContext } from '../context.ts';
export type Maybe<T> = T | null;
export type InputMaybe<T> = Maybe<T>;
export type Omit<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>>;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string };
  String: { input: string; output: string };
  Boolean: { input: boolean; output: boolean };
  Int: { input: number; output: number };
  Float: { input: number; output: number };
  /** A moment in UTC with milliseconds, as an ISO 8601 string: `2025-01-31T12:00:00.000Z`. */
  DateTime: { input: Date; output: Date };
  _FieldSet: { input: string; output: string };
};

/** Whose caches may keep a response. */
export type Caching__Scope =
  /** Any cache, shared ones included. */
  | 'PUBLIC'
  /** Only a cache that belongs to the one who asked. */
  | 'PRIVATE';

/** Something with an identity. */
export type Node = {
  /** The unique identifier. */
  readonly id: Scalars['ID']['output'];
};

/** A reader's answer to a post. */
export type Comment = {
  /** The unique identifier: a UUID v7. */
  readonly id: Scalars['ID']['output'];
  /** What was said. */
  readonly body: Scalars['String']['output'];
  /** When it was said. */
  readonly createdAt: Scalars['DateTime']['output'];
  /** Who said it. */
  readonly author: User;
  /** The post it answers. */
  readonly post: Post;
};

/** A comment in words. */
export type TextComment = Node &
  Comment & {
    /** The unique identifier: a UUID v7. */
    readonly id: Scalars['ID']['output'];
    /** What was said. */
    readonly body: Scalars['String']['output'];
    /** When it was said. */
    readonly createdAt: Scalars['DateTime']['output'];
    /** Whether the words have been changed since. */
    readonly edited: Scalars['Boolean']['output'];
    /** Who said it. */
    readonly author: User;
    /** The post it answers. */
    readonly post: Post;
  };

/** Where a page of a connection is in its list. */
export type PageInfo = {
  /** Whether there is more behind the page. Of a page asked for by `last`: whether `before` was given. */
  readonly hasNextPage: Scalars['Boolean']['output'];
  /** Whether there is more ahead of the page. Of a page asked for by `first`: whether `after` was given. */
  readonly hasPreviousPage: Scalars['Boolean']['output'];
  /** The cursor of the first item; null of an empty page. */
  readonly startCursor: Maybe<Scalars['String']['output']>;
  /** The cursor of the last item; null of an empty page. */
  readonly endCursor: Maybe<Scalars['String']['output']>;
};

/** A page of a list of comments. */
export type CommentConnection = {
  /** The items of the page with their cursors. */
  readonly edges: ReadonlyArray<CommentEdge>;
  /** The items of the page. */
  readonly nodes: ReadonlyArray<Comment>;
  /** Whether there is more. */
  readonly pageInfo: PageInfo;
};

/** An item of a page. */
export type CommentEdge = {
  /** Where the item is in the list: a value for `after` and `before`, without a meaning of its own. */
  readonly cursor: Scalars['String']['output'];
  /** The item. */
  readonly node: Comment;
};

export type Post = {
  /** The unique identifier: a UUID v7. */
  readonly id: Scalars['ID']['output'];
  /** Proves that this caller may see the post: the posts subgraph answers only then. */
  readonly published: Scalars['Boolean']['output'];
  /** What readers say, newest first. */
  readonly comments: ReadonlyArray<Comment>;
  /** The same as `comments`, page by page in either direction. */
  readonly commentsConnection: CommentConnection;
  /** How many comments there are. */
  readonly commentCount: Maybe<Scalars['Int']['output']>;
};

export type PostCommentsArgs = {
  limit?: InputMaybe<Scalars['Int']['input']>;
  after: InputMaybe<Scalars['ID']['input']>;
};

export type PostCommentsConnectionArgs = {
  first: InputMaybe<Scalars['Int']['input']>;
  after: InputMaybe<Scalars['String']['input']>;
  last: InputMaybe<Scalars['Int']['input']>;
  before: InputMaybe<Scalars['String']['input']>;
};

export type Mutation = {
  /** Answers a post that the caller may see. For every user. */
  readonly addComment: Comment;
  /**
   * Changes the words of a comment and marks it as edited; null when there is none with this id that the caller may see. For its
   * author, editors and administrators.
   */
  readonly editComment: Maybe<Comment>;
  /**
   * Deletes a comment. True when it was deleted, false when there is none with this id that the caller may see. For its author,
   * editors and administrators.
   */
  readonly deleteComment: Scalars['Boolean']['output'];
};

export type MutationAddCommentArgs = {
  postId: Scalars['ID']['input'];
  body: Scalars['String']['input'];
};

export type MutationEditCommentArgs = {
  id: Scalars['ID']['input'];
  body: Scalars['String']['input'];
};

export type MutationDeleteCommentArgs = {
  id: Scalars['ID']['input'];
};

export type Subscription = {
  /** Each new comment on a post that the caller may see. */
  readonly commentAdded: Comment;
};

export type SubscriptionCommentAddedArgs = {
  postId: Scalars['ID']['input'];
};

export type User = {
  /** The unique identifier: a UUID v7, the `sub` of the user's tokens. */
  readonly id: Scalars['ID']['output'];
  /** What the user has said on posts that the caller may see, newest first. */
  readonly commentsConnection: CommentConnection;
};

export type UserCommentsConnectionArgs = {
  first: InputMaybe<Scalars['Int']['input']>;
  after: InputMaybe<Scalars['String']['input']>;
  last: InputMaybe<Scalars['Int']['input']>;
  before: InputMaybe<Scalars['String']['input']>;
};

export type ResolverTypeWrapper<T> = Promise<T> | T;

export type ReferenceResolver<TResult, TReference, TContext> = (
  reference: TReference,
  context: TContext,
  info: GraphQLResolveInfo,
) => Promise<TResult> | TResult;

type ScalarCheck<T, S> = S extends true ? T : NullableCheck<T, S>;
type NullableCheck<T, S> = Maybe<T> extends T ? Maybe<ListCheck<NonNullable<T>, S>> : ListCheck<T, S>;
type ListCheck<T, S> = T extends (infer U)[] ? NullableCheck<U, S>[] : GraphQLRecursivePick<T, S>;
export type GraphQLRecursivePick<T, S> = { [K in keyof T & keyof S]: ScalarCheck<T[K], S[K]> };

export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<
  TResult,
  TParent = Record<PropertyKey, never>,
  TContext = Record<PropertyKey, never>,
  TArgs = Record<PropertyKey, never>,
> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo,
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo,
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo,
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<
  TResult,
  TKey extends string,
  TParent = Record<PropertyKey, never>,
  TContext = Record<PropertyKey, never>,
  TArgs = Record<PropertyKey, never>,
> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<
  TTypes,
  TParent = Record<PropertyKey, never>,
  TContext = Record<PropertyKey, never>,
> = (parent: TParent, context: TContext, info: GraphQLResolveInfo) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  obj: T,
  context: TContext,
  info: GraphQLResolveInfo,
) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<
  TResult = Record<PropertyKey, never>,
  TParent = Record<PropertyKey, never>,
  TContext = Record<PropertyKey, never>,
  TArgs = Record<PropertyKey, never>,
> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo,
) => TResult | Promise<TResult>;

/** Mapping of federation types */
export type FederationTypes = {
  TextComment: TextComment;
  Post: Post;
  User: User;
};

/** Mapping of federation reference types */
export type FederationReferenceTypes = {
  TextComment: { __typename: 'TextComment' } & GraphQLRecursivePick<
    FederationTypes['TextComment'],
    { id: true }
  >;
  Post: { __typename: 'Post' } & GraphQLRecursivePick<FederationTypes['Post'], { id: true }> &
    (
      | Record<PropertyKey, never>
      | GraphQLRecursivePick<FederationTypes['Post'], { published: true }>
      | GraphQLRecursivePick<FederationTypes['Post'], { published: true }>
      | GraphQLRecursivePick<FederationTypes['Post'], { published: true }>
      | GraphQLRecursivePick<FederationTypes['Post'], { published: true }>
      | GraphQLRecursivePick<FederationTypes['Post'], { published: true }>
      | GraphQLRecursivePick<FederationTypes['Post'], { published: true }>
      | GraphQLRecursivePick<FederationTypes['Post'], { published: true }>
    );
  User: { __typename: 'User' } & GraphQLRecursivePick<FederationTypes['User'], { id: true }>;
};

/** Mapping of interface types */
export type ResolversInterfaceTypes<_RefType extends Record<string, unknown>> = {
  Node: TextCommentModel;
  Comment: TextCommentModel;
};

/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  caching__Scope: Caching__Scope;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  Node: ResolverTypeWrapper<ResolversInterfaceTypes<ResolversTypes>['Node']>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  Comment: ResolverTypeWrapper<ResolversInterfaceTypes<ResolversTypes>['Comment']>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  TextComment: ResolverTypeWrapper<TextCommentModel>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  CommentConnection: ResolverTypeWrapper<
    Omit<CommentConnection, 'edges' | 'nodes'> & {
      edges: ReadonlyArray<ResolversTypes['CommentEdge']>;
      nodes: ReadonlyArray<ResolversTypes['Comment']>;
    }
  >;
  CommentEdge: ResolverTypeWrapper<Omit<CommentEdge, 'node'> & { node: ResolversTypes['Comment'] }>;
  Post: ResolverTypeWrapper<PostModel>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Subscription: ResolverTypeWrapper<Record<PropertyKey, never>>;
  User: ResolverTypeWrapper<UserModel>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  DateTime: Scalars['DateTime']['output'];
  Node: ResolversInterfaceTypes<ResolversParentTypes>['Node'];
  ID: Scalars['ID']['output'];
  Comment: ResolversInterfaceTypes<ResolversParentTypes>['Comment'];
  String: Scalars['String']['output'];
  TextComment: TextCommentModel;
  Boolean: Scalars['Boolean']['output'];
  PageInfo: PageInfo;
  CommentConnection: Omit<CommentConnection, 'edges' | 'nodes'> & {
    edges: ReadonlyArray<ResolversParentTypes['CommentEdge']>;
    nodes: ReadonlyArray<ResolversParentTypes['Comment']>;
  };
  CommentEdge: Omit<CommentEdge, 'node'> & { node: ResolversParentTypes['Comment'] };
  Post: PostModel;
  Mutation: Record<PropertyKey, never>;
  Subscription: Record<PropertyKey, never>;
  User: UserModel;
  Int: Scalars['Int']['output'];
};

export type CacheControlDirectiveArgs = {
  maxAge: Maybe<Scalars['Int']['input']>;
  scope: Maybe<Caching__Scope>;
};

export type CacheControlDirectiveResolver<
  Result,
  Parent,
  ContextType = SubgraphContext,
  Args = CacheControlDirectiveArgs,
> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export type NodeResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['Node'] = ResolversParentTypes['Node'],
> = {
  __resolveType: TypeResolveFn<'TextComment', ParentType, ContextType>;
};

export type CommentResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['Comment'] = ResolversParentTypes['Comment'],
> = {
  __resolveType: TypeResolveFn<'TextComment', ParentType, ContextType>;
};

export type TextCommentResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['TextComment'] = ResolversParentTypes['TextComment'],
  FederationReferenceType extends FederationReferenceTypes['TextComment'] =
    FederationReferenceTypes['TextComment'],
> = {
  __resolveReference?: ReferenceResolver<
    Maybe<ResolversTypes['TextComment']> | FederationReferenceType,
    FederationReferenceType,
    ContextType
  >;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  body?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  edited?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  author?: Resolver<ResolversTypes['User'], ParentType, ContextType>;
  post?: Resolver<ResolversTypes['Post'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type PageInfoResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo'],
> = {
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type CommentConnectionResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['CommentConnection'] = ResolversParentTypes['CommentConnection'],
> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['CommentEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['Comment']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type CommentEdgeResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['CommentEdge'] = ResolversParentTypes['CommentEdge'],
> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Comment'], ParentType, ContextType>;
};

export type PostResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['Post'] = ResolversParentTypes['Post'],
  FederationReferenceType extends FederationReferenceTypes['Post'] = FederationReferenceTypes['Post'],
> = {
  __resolveReference?: ReferenceResolver<
    Maybe<ResolversTypes['Post']> | FederationReferenceType,
    FederationReferenceType,
    ContextType
  >;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  comments?: Resolver<
    ReadonlyArray<ResolversTypes['Comment']>,
    ParentType,
    ContextType,
    RequireFields<PostCommentsArgs, 'limit'>
  >;
  commentsConnection?: Resolver<
    ResolversTypes['CommentConnection'],
    ParentType,
    ContextType,
    Partial<PostCommentsConnectionArgs>
  >;
  commentCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type MutationResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation'],
> = {
  addComment?: Resolver<
    ResolversTypes['Comment'],
    ParentType,
    ContextType,
    RequireFields<MutationAddCommentArgs, 'postId' | 'body'>
  >;
  editComment?: Resolver<
    Maybe<ResolversTypes['Comment']>,
    ParentType,
    ContextType,
    RequireFields<MutationEditCommentArgs, 'id' | 'body'>
  >;
  deleteComment?: Resolver<
    ResolversTypes['Boolean'],
    ParentType,
    ContextType,
    RequireFields<MutationDeleteCommentArgs, 'id'>
  >;
};

export type SubscriptionResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['Subscription'] = ResolversParentTypes['Subscription'],
> = {
  commentAdded?: SubscriptionResolver<
    ResolversTypes['Comment'],
    'commentAdded',
    ParentType,
    ContextType,
    RequireFields<SubscriptionCommentAddedArgs, 'postId'>
  >;
};

export type UserResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['User'] = ResolversParentTypes['User'],
  FederationReferenceType extends FederationReferenceTypes['User'] = FederationReferenceTypes['User'],
> = {
  __resolveReference?: ReferenceResolver<
    Maybe<ResolversTypes['User']> | FederationReferenceType,
    FederationReferenceType,
    ContextType
  >;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  commentsConnection?: Resolver<
    ResolversTypes['CommentConnection'],
    ParentType,
    ContextType,
    Partial<UserCommentsConnectionArgs>
  >;
};

export type Resolvers<ContextType = SubgraphContext> = {
  DateTime?: GraphQLScalarType;
  Node?: NodeResolvers<ContextType>;
  Comment?: CommentResolvers<ContextType>;
  TextComment?: TextCommentResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  CommentConnection?: CommentConnectionResolvers<ContextType>;
  CommentEdge?: CommentEdgeResolvers<ContextType>;
  Post?: PostResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  Subscription?: SubscriptionResolvers<ContextType>;
  User?: UserResolvers<ContextType>;
};

export type DirectiveResolvers<ContextType = SubgraphContext> = {
  cacheControl?: CacheControlDirectiveResolver<any, any, ContextType>;
};
