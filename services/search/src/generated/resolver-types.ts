// Generated from ../schema.graphql by scripts/generate-types.ts. Change the schema, then run: npm run generate

import type { GraphQLResolveInfo } from 'graphql';
import type { UserModel, PostModel, TextCommentModel } from '../resolvers/models.ts';
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

/** What a search can find. */
export type SearchResult = User | Post | TextComment;

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

/** A page of a list of what was found. */
export type SearchResultConnection = {
  /** The items of the page with their cursors. */
  readonly edges: ReadonlyArray<SearchResultEdge>;
  /** The items of the page. */
  readonly nodes: ReadonlyArray<SearchResult>;
  /** Whether there is more. */
  readonly pageInfo: PageInfo;
};

/** An item of a page. */
export type SearchResultEdge = {
  /** Where the item is in the list: a value for `after` and `before`, without a meaning of its own. */
  readonly cursor: Scalars['String']['output'];
  /** The item. */
  readonly node: SearchResult;
};

export type User = Node & {
  /** The unique identifier: a UUID v7, the `sub` of the user's tokens. */
  readonly id: Scalars['ID']['output'];
};

export type Post = Node & {
  /** The unique identifier: a UUID v7. */
  readonly id: Scalars['ID']['output'];
};

export type TextComment = Node & {
  /** The unique identifier: a UUID v7. */
  readonly id: Scalars['ID']['output'];
};

export type Query = {
  /** The user, post or comment with this id; null when there is none that the caller may see. */
  readonly node: Maybe<Node>;
  /** The same as `node` for several ids, in their order. */
  readonly nodes: ReadonlyArray<Maybe<Node>>;
  /**
   * Users by their names, published posts by title, tags and text, and comments on published posts by their words; the best
   * matches first. Several words must all occur; "quoted words" next to each other; `or` and `-word` work as well. Of each kind
   * the 500 newest matches are ranked.
   */
  readonly search: ReadonlyArray<SearchResult>;
  /** The same as `search`, page by page in either direction. */
  readonly searchConnection: SearchResultConnection;
};

export type QueryNodeArgs = {
  id: Scalars['ID']['input'];
};

export type QueryNodesArgs = {
  ids: ReadonlyArray<Scalars['ID']['input']>;
};

export type QuerySearchArgs = {
  query?: Scalars['String']['input'];
  text: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
};

export type QuerySearchConnectionArgs = {
  query?: Scalars['String']['input'];
  text: InputMaybe<Scalars['String']['input']>;
  first: InputMaybe<Scalars['Int']['input']>;
  after: InputMaybe<Scalars['String']['input']>;
  last: InputMaybe<Scalars['Int']['input']>;
  before: InputMaybe<Scalars['String']['input']>;
};

export type ResolverTypeWrapper<T> = Promise<T> | T;

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

/** Mapping of union types */
export type ResolversUnionTypes<_RefType extends Record<string, unknown>> = {
  SearchResult: UserModel | PostModel | TextCommentModel;
};

/** Mapping of interface types */
export type ResolversInterfaceTypes<_RefType extends Record<string, unknown>> = {
  Node: UserModel | PostModel | TextCommentModel;
};

/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  caching__Scope: Caching__Scope;
  Node: ResolverTypeWrapper<ResolversInterfaceTypes<ResolversTypes>['Node']>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  SearchResult: ResolverTypeWrapper<ResolversUnionTypes<ResolversTypes>['SearchResult']>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  SearchResultConnection: ResolverTypeWrapper<
    Omit<SearchResultConnection, 'edges' | 'nodes'> & {
      edges: ReadonlyArray<ResolversTypes['SearchResultEdge']>;
      nodes: ReadonlyArray<ResolversTypes['SearchResult']>;
    }
  >;
  SearchResultEdge: ResolverTypeWrapper<
    Omit<SearchResultEdge, 'node'> & { node: ResolversTypes['SearchResult'] }
  >;
  User: ResolverTypeWrapper<UserModel>;
  Post: ResolverTypeWrapper<PostModel>;
  TextComment: ResolverTypeWrapper<TextCommentModel>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  Node: ResolversInterfaceTypes<ResolversParentTypes>['Node'];
  ID: Scalars['ID']['output'];
  SearchResult: ResolversUnionTypes<ResolversParentTypes>['SearchResult'];
  PageInfo: PageInfo;
  Boolean: Scalars['Boolean']['output'];
  String: Scalars['String']['output'];
  SearchResultConnection: Omit<SearchResultConnection, 'edges' | 'nodes'> & {
    edges: ReadonlyArray<ResolversParentTypes['SearchResultEdge']>;
    nodes: ReadonlyArray<ResolversParentTypes['SearchResult']>;
  };
  SearchResultEdge: Omit<SearchResultEdge, 'node'> & { node: ResolversParentTypes['SearchResult'] };
  User: UserModel;
  Post: PostModel;
  TextComment: TextCommentModel;
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

export type NodeResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['Node'] = ResolversParentTypes['Node'],
> = {
  __resolveType: TypeResolveFn<'User' | 'Post' | 'TextComment', ParentType, ContextType>;
};

export type SearchResultResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['SearchResult'] = ResolversParentTypes['SearchResult'],
> = {
  __resolveType: TypeResolveFn<'User' | 'Post' | 'TextComment', ParentType, ContextType>;
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

export type SearchResultConnectionResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['SearchResultConnection'] =
    ResolversParentTypes['SearchResultConnection'],
> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['SearchResultEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['SearchResult']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type SearchResultEdgeResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['SearchResultEdge'] = ResolversParentTypes['SearchResultEdge'],
> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['SearchResult'], ParentType, ContextType>;
};

export type UserResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['User'] = ResolversParentTypes['User'],
> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type PostResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['Post'] = ResolversParentTypes['Post'],
> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type TextCommentResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['TextComment'] = ResolversParentTypes['TextComment'],
> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type QueryResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query'],
> = {
  node?: Resolver<Maybe<ResolversTypes['Node']>, ParentType, ContextType, RequireFields<QueryNodeArgs, 'id'>>;
  nodes?: Resolver<
    ReadonlyArray<Maybe<ResolversTypes['Node']>>,
    ParentType,
    ContextType,
    RequireFields<QueryNodesArgs, 'ids'>
  >;
  search?: Resolver<
    ReadonlyArray<ResolversTypes['SearchResult']>,
    ParentType,
    ContextType,
    RequireFields<QuerySearchArgs, 'query' | 'first'>
  >;
  searchConnection?: Resolver<
    ResolversTypes['SearchResultConnection'],
    ParentType,
    ContextType,
    RequireFields<QuerySearchConnectionArgs, 'query'>
  >;
};

export type Resolvers<ContextType = SubgraphContext> = {
  Node?: NodeResolvers<ContextType>;
  SearchResult?: SearchResultResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  SearchResultConnection?: SearchResultConnectionResolvers<ContextType>;
  SearchResultEdge?: SearchResultEdgeResolvers<ContextType>;
  User?: UserResolvers<ContextType>;
  Post?: PostResolvers<ContextType>;
  TextComment?: TextCommentResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
};

export type DirectiveResolvers<ContextType = SubgraphContext> = {
  cacheControl?: CacheControlDirectiveResolver<any, any, ContextType>;
};
