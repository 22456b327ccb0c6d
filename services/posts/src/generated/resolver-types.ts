// Generated from ../schema.graphql by scripts/generate-types.ts. Change the schema, then run: npm run generate

import type { JsonValue } from '@trellis/subgraph-kit';
import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { PostModel, UserModel } from '../resolvers/models.ts';
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
  /** Any JSON value. */
  JSON: { input: JsonValue; output: JsonValue };
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

/** Something that knows when it was made and last changed. */
export type Timestamped = {
  /** When it was made. */
  readonly createdAt: Scalars['DateTime']['output'];
  /** When it last changed. Rises by at least a millisecond with every change. */
  readonly updatedAt: Scalars['DateTime']['output'];
};

/** The states of an order. Reserved: no operation uses it yet. */
export type OrderStatus =
  /** Placed, and no one has looked at it. */
  | 'PENDING'
  /** Being prepared. */
  | 'PROCESSING'
  /** On its way. */
  | 'SHIPPED'
  /** Arrived. */
  | 'DELIVERED'
  /** Called off. */
  | 'CANCELLED';

/**
 * An article. One that is not published is visible only to its author, to editors and to administrators; for all other callers
 * it does not exist.
 */
export type Post = Node &
  Timestamped & {
    /** The unique identifier: a UUID v7. */
    readonly id: Scalars['ID']['output'];
    /** The headline. */
    readonly title: Scalars['String']['output'];
    /** The text; paragraphs are separated by empty lines. */
    readonly body: Scalars['String']['output'];
    /** Whether all callers may see it. */
    readonly published: Scalars['Boolean']['output'];
    /** Who wrote it. */
    readonly author: User;
    /** Words to find it by. */
    readonly tags: ReadonlyArray<Scalars['String']['output']>;
    /** Free-form data of the editor. */
    readonly metadata: Maybe<Scalars['JSON']['output']>;
    /** When it was made. */
    readonly createdAt: Scalars['DateTime']['output'];
    /** When it last changed. Rises by at least a millisecond with every change. */
    readonly updatedAt: Scalars['DateTime']['output'];
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

/** A page of a list of posts. */
export type PostConnection = {
  /** The items of the page with their cursors. */
  readonly edges: ReadonlyArray<PostEdge>;
  /** The items of the page. */
  readonly nodes: ReadonlyArray<Post>;
  /** Whether there is more. */
  readonly pageInfo: PageInfo;
};

/** An item of a page. */
export type PostEdge = {
  /** Where the item is in the list: a value for `after` and `before`, without a meaning of its own. */
  readonly cursor: Scalars['String']['output'];
  /** The item. */
  readonly node: Post;
};

export type User = {
  /** The unique identifier: a UUID v7, the `sub` of the user's tokens. */
  readonly id: Scalars['ID']['output'];
  /** The user's posts, newest first. Drafts among them are only for those who may see them. */
  readonly posts: ReadonlyArray<Post>;
  /** The same as `posts`, page by page in either direction. */
  readonly postsConnection: PostConnection;
};

export type UserPostsArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
  after: InputMaybe<Scalars['ID']['input']>;
};

export type UserPostsConnectionArgs = {
  first: InputMaybe<Scalars['Int']['input']>;
  after: InputMaybe<Scalars['String']['input']>;
  last: InputMaybe<Scalars['Int']['input']>;
  before: InputMaybe<Scalars['String']['input']>;
};

/** What a new post is made of. */
export type CreatePostInput = {
  /** The headline: one line, at most 200 characters. */
  readonly title: Scalars['String']['input'];
  /** The text, at most 100,000 characters; paragraphs are separated by empty lines. */
  readonly body: Scalars['String']['input'];
  /** Words to find it by: at most 20, each one line of at most 50 characters. Repeated ones count once. */
  readonly tags?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /**
   * When to publish it. Without it, or with a time that has come, the post is published at once; with a time to come it is a
   * draft until then.
   */
  readonly publishedAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** Free-form data of the editor, at most 16 KiB of JSON. */
  readonly metadata?: InputMaybe<Scalars['JSON']['input']>;
};

/** What to change of a post. What is left out stays as it is; only what can be null in a post can be set to null. */
export type UpdatePostInput = {
  /** The headline: one line, at most 200 characters. */
  readonly title?: InputMaybe<Scalars['String']['input']>;
  /** The text, at most 100,000 characters; paragraphs are separated by empty lines. */
  readonly body?: InputMaybe<Scalars['String']['input']>;
  /** Words to find it by: at most 20, each one line of at most 50 characters. Repeated ones count once. */
  readonly tags?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Whether all callers may see it. Either value calls off a publication that was planned. */
  readonly published?: InputMaybe<Scalars['Boolean']['input']>;
  /** Free-form data of the editor, at most 16 KiB of JSON; null removes it. */
  readonly metadata?: InputMaybe<Scalars['JSON']['input']>;
  /**
   * The `updatedAt` of the post as it was when the change was decided on. When the post has changed since, nothing happens and
   * the error is BAD_USER_INPUT.
   */
  readonly expectedUpdatedAt?: InputMaybe<Scalars['DateTime']['input']>;
};

/** Why something did not go as asked, for the user to read. */
export type UserError = {
  /** The input field it is about. */
  readonly field: Maybe<Scalars['String']['output']>;
  /** What went wrong, in a sentence. */
  readonly message: Scalars['String']['output'];
  /** What went wrong, for programs: `DUPLICATE_POST`. */
  readonly code: Scalars['String']['output'];
};

/** What came of createPost. */
export type CreatePostResult = {
  /** The new post, or the one that was there already. */
  readonly post: Post;
  /** Whether a new post was made. */
  readonly success: Scalars['Boolean']['output'];
  /** Why not; empty when it was. `DUPLICATE_POST`: the same author has a post with the same title and body. */
  readonly errors: Maybe<ReadonlyArray<UserError>>;
};

export type Mutation = {
  /** Makes a post. For editors and administrators. */
  readonly createPost: CreatePostResult;
  /** Changes a post; null when there is none with this id that the caller may see. For its author, editors and administrators. */
  readonly updatePost: Maybe<Post>;
  /**
   * Deletes a post with its comments. True when it was deleted, false when there is none with this id that the caller may see.
   * For its author, editors and administrators.
   */
  readonly deletePost: Scalars['Boolean']['output'];
};

export type MutationCreatePostArgs = {
  input: CreatePostInput;
};

export type MutationUpdatePostArgs = {
  id: Scalars['ID']['input'];
  input: UpdatePostInput;
};

export type MutationDeletePostArgs = {
  id: Scalars['ID']['input'];
};

export type Subscription = {
  /** Each post that becomes visible to all callers: when it is created, published by a change, or its time has come. */
  readonly postCreated: Post;
};

export type Query = {
  /** The post with this id; null when there is none that the caller may see. */
  readonly post: Maybe<Post>;
  /** All posts that the caller may see, newest first. */
  readonly posts: ReadonlyArray<Post>;
  /** The same as `posts`, page by page in either direction. */
  readonly postsConnection: PostConnection;
};

export type QueryPostArgs = {
  id: Scalars['ID']['input'];
};

export type QueryPostsArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
  after: InputMaybe<Scalars['ID']['input']>;
};

export type QueryPostsConnectionArgs = {
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
  Post: Post;
  User: User;
};

/** Mapping of federation reference types */
export type FederationReferenceTypes = {
  Post: { __typename: 'Post' } & GraphQLRecursivePick<FederationTypes['Post'], { id: true }>;
  User: { __typename: 'User' } & GraphQLRecursivePick<FederationTypes['User'], { id: true }>;
};

/** Mapping of interface types */
export type ResolversInterfaceTypes<_RefType extends Record<string, unknown>> = {
  Node: PostModel;
  Timestamped: PostModel;
};

/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  caching__Scope: Caching__Scope;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  JSON: ResolverTypeWrapper<Scalars['JSON']['output']>;
  Node: ResolverTypeWrapper<ResolversInterfaceTypes<ResolversTypes>['Node']>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  Timestamped: ResolverTypeWrapper<ResolversInterfaceTypes<ResolversTypes>['Timestamped']>;
  OrderStatus: OrderStatus;
  Post: ResolverTypeWrapper<PostModel>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  PostConnection: ResolverTypeWrapper<
    Omit<PostConnection, 'edges' | 'nodes'> & {
      edges: ReadonlyArray<ResolversTypes['PostEdge']>;
      nodes: ReadonlyArray<ResolversTypes['Post']>;
    }
  >;
  PostEdge: ResolverTypeWrapper<Omit<PostEdge, 'node'> & { node: ResolversTypes['Post'] }>;
  User: ResolverTypeWrapper<UserModel>;
  CreatePostInput: CreatePostInput;
  UpdatePostInput: UpdatePostInput;
  UserError: ResolverTypeWrapper<UserError>;
  CreatePostResult: ResolverTypeWrapper<Omit<CreatePostResult, 'post'> & { post: ResolversTypes['Post'] }>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Subscription: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  DateTime: Scalars['DateTime']['output'];
  JSON: Scalars['JSON']['output'];
  Node: ResolversInterfaceTypes<ResolversParentTypes>['Node'];
  ID: Scalars['ID']['output'];
  Timestamped: ResolversInterfaceTypes<ResolversParentTypes>['Timestamped'];
  Post: PostModel;
  String: Scalars['String']['output'];
  Boolean: Scalars['Boolean']['output'];
  PageInfo: PageInfo;
  PostConnection: Omit<PostConnection, 'edges' | 'nodes'> & {
    edges: ReadonlyArray<ResolversParentTypes['PostEdge']>;
    nodes: ReadonlyArray<ResolversParentTypes['Post']>;
  };
  PostEdge: Omit<PostEdge, 'node'> & { node: ResolversParentTypes['Post'] };
  User: UserModel;
  CreatePostInput: CreatePostInput;
  UpdatePostInput: UpdatePostInput;
  UserError: UserError;
  CreatePostResult: Omit<CreatePostResult, 'post'> & { post: ResolversParentTypes['Post'] };
  Mutation: Record<PropertyKey, never>;
  Subscription: Record<PropertyKey, never>;
  Query: Record<PropertyKey, never>;
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

export type SharedSubscriptionDirectiveArgs = {};

export type SharedSubscriptionDirectiveResolver<
  Result,
  Parent,
  ContextType = SubgraphContext,
  Args = SharedSubscriptionDirectiveArgs,
> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export interface JsonScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['JSON'], any> {
  name: 'JSON';
}

export type NodeResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['Node'] = ResolversParentTypes['Node'],
> = {
  __resolveType: TypeResolveFn<'Post', ParentType, ContextType>;
};

export type TimestampedResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['Timestamped'] = ResolversParentTypes['Timestamped'],
> = {
  __resolveType: TypeResolveFn<'Post', ParentType, ContextType>;
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
  title?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  body?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  published?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  author?: Resolver<ResolversTypes['User'], ParentType, ContextType>;
  tags?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  metadata?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
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

export type PostConnectionResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['PostConnection'] = ResolversParentTypes['PostConnection'],
> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['PostEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['Post']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type PostEdgeResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['PostEdge'] = ResolversParentTypes['PostEdge'],
> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Post'], ParentType, ContextType>;
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
  posts?: Resolver<
    ReadonlyArray<ResolversTypes['Post']>,
    ParentType,
    ContextType,
    RequireFields<UserPostsArgs, 'first'>
  >;
  postsConnection?: Resolver<
    ResolversTypes['PostConnection'],
    ParentType,
    ContextType,
    Partial<UserPostsConnectionArgs>
  >;
};

export type UserErrorResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['UserError'] = ResolversParentTypes['UserError'],
> = {
  field?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  message?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  code?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type CreatePostResultResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['CreatePostResult'] = ResolversParentTypes['CreatePostResult'],
> = {
  post?: Resolver<ResolversTypes['Post'], ParentType, ContextType>;
  success?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  errors?: Resolver<Maybe<ReadonlyArray<ResolversTypes['UserError']>>, ParentType, ContextType>;
};

export type MutationResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation'],
> = {
  createPost?: Resolver<
    ResolversTypes['CreatePostResult'],
    ParentType,
    ContextType,
    RequireFields<MutationCreatePostArgs, 'input'>
  >;
  updatePost?: Resolver<
    Maybe<ResolversTypes['Post']>,
    ParentType,
    ContextType,
    RequireFields<MutationUpdatePostArgs, 'id' | 'input'>
  >;
  deletePost?: Resolver<
    ResolversTypes['Boolean'],
    ParentType,
    ContextType,
    RequireFields<MutationDeletePostArgs, 'id'>
  >;
};

export type SubscriptionResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['Subscription'] = ResolversParentTypes['Subscription'],
> = {
  postCreated?: SubscriptionResolver<ResolversTypes['Post'], 'postCreated', ParentType, ContextType>;
};

export type QueryResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query'],
> = {
  post?: Resolver<Maybe<ResolversTypes['Post']>, ParentType, ContextType, RequireFields<QueryPostArgs, 'id'>>;
  posts?: Resolver<
    ReadonlyArray<ResolversTypes['Post']>,
    ParentType,
    ContextType,
    RequireFields<QueryPostsArgs, 'first'>
  >;
  postsConnection?: Resolver<
    ResolversTypes['PostConnection'],
    ParentType,
    ContextType,
    Partial<QueryPostsConnectionArgs>
  >;
};

export type Resolvers<ContextType = SubgraphContext> = {
  DateTime?: GraphQLScalarType;
  JSON?: GraphQLScalarType;
  Node?: NodeResolvers<ContextType>;
  Timestamped?: TimestampedResolvers<ContextType>;
  Post?: PostResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  PostConnection?: PostConnectionResolvers<ContextType>;
  PostEdge?: PostEdgeResolvers<ContextType>;
  User?: UserResolvers<ContextType>;
  UserError?: UserErrorResolvers<ContextType>;
  CreatePostResult?: CreatePostResultResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  Subscription?: SubscriptionResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
};

export type DirectiveResolvers<ContextType = SubgraphContext> = {
  cacheControl?: CacheControlDirectiveResolver<any, any, ContextType>;
  sharedSubscription?: SharedSubscriptionDirectiveResolver<any, any, ContextType>;
};
