// Generated from ../schema.graphql by scripts/generate-types.ts. Change the schema, then run: npm run generate

import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { UserModel } from '../resolvers/models.ts';
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

/** What a user may do. */
export type UserRole =
  /** Does everything an editor does, and creates users. */
  | 'ADMIN'
  /** Does everything a viewer does, creates posts, and changes or deletes any post or comment. */
  | 'EDITOR'
  /** Reads, comments, and changes or deletes their own comments. */
  | 'VIEWER';

/** Something with an identity. */
export type Node = {
  /** The unique identifier. */
  readonly id: Scalars['ID']['output'];
};

/** Someone who reads, comments or writes. */
export type User = Node & {
  /** The unique identifier: a UUID v7, the `sub` of the user's tokens. */
  readonly id: Scalars['ID']['output'];
  /** What the user is called. */
  readonly name: Scalars['String']['output'];
  /** The e-mail address. Null for all callers but the user and administrators, and where there is none. */
  readonly email: Maybe<Scalars['String']['output']>;
  /** When the profile was made. */
  readonly createdAt: Scalars['DateTime']['output'];
  /** What the user may do, according to their newest token. */
  readonly role: UserRole;
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

/** A page of a list of users. */
export type UserConnection = {
  /** The items of the page with their cursors. */
  readonly edges: ReadonlyArray<UserEdge>;
  /** The items of the page. */
  readonly nodes: ReadonlyArray<User>;
  /** Whether there is more. */
  readonly pageInfo: PageInfo;
};

/** An item of a page. */
export type UserEdge = {
  /** Where the item is in the list: a value for `after` and `before`, without a meaning of its own. */
  readonly cursor: Scalars['String']['output'];
  /** The item. */
  readonly node: User;
};

/** What a new user is made of. */
export type CreateUserInput = {
  /** What the user is called: one line, at most 100 characters. */
  readonly name: Scalars['String']['input'];
  /** The e-mail address, at most 254 characters. */
  readonly email?: InputMaybe<Scalars['String']['input']>;
  /** What the user may do. */
  readonly role?: InputMaybe<UserRole>;
};

/** What names a user: exactly one of these. */
export type UserBy =
  /** The id. */
  | {
      readonly id: Scalars['ID']['input'];
      readonly email?: never;
    } /** The e-mail address, as it was saved. Administrators find every user by it, others themselves. Of several users the oldest. */
  | { readonly id?: never; readonly email: Scalars['String']['input'] };

export type Mutation = {
  /** Makes the profile of someone who has no account. For administrators. */
  readonly createUser: User;
};

export type MutationCreateUserArgs = {
  input: CreateUserInput;
};

/** A user who is online, or was a moment ago. */
export type OnlineUser = {
  /** The id of the user. */
  readonly id: Scalars['ID']['output'];
  /** What the user is called. */
  readonly name: Scalars['String']['output'];
  /** When the user was last seen. */
  readonly lastSeen: Scalars['DateTime']['output'];
};

/** A change of a user's presence. */
export type UserStatus = {
  /** The id of the user. */
  readonly userId: Scalars['ID']['output'];
  /** Whether the user is online. */
  readonly online: Scalars['Boolean']['output'];
  /** When the user was last seen. */
  readonly lastSeen: Scalars['DateTime']['output'];
  /** The user. */
  readonly user: User;
};

export type Subscription = {
  /** Publishes each change of the user's presence. */
  readonly userStatusChanged: UserStatus;
};

export type SubscriptionUserStatusChangedArgs = {
  userId: Scalars['ID']['input'];
};

export type Query = {
  /**
   * The users who are online, last seen first, at most 500: those with an open connection for subscriptions, or who have sent an
   * operation within the last minute. Query with `@live` to follow changes.
   */
  readonly onlineUsers: ReadonlyArray<OnlineUser>;
  /** The user with this id; null when there is none. */
  readonly user: Maybe<User>;
  /** The user whom exactly one property names; null when there is none, or none that the caller may find so. */
  readonly userBy: Maybe<User>;
  /** All users, oldest first. */
  readonly users: ReadonlyArray<User>;
  /** The same as `users`, page by page in either direction. */
  readonly usersConnection: UserConnection;
  /** The user who asks; null for a client that acts for itself. */
  readonly me: Maybe<User>;
};

export type QueryUserArgs = {
  id: Scalars['ID']['input'];
};

export type QueryUserByArgs = {
  by: UserBy;
};

export type QueryUsersArgs = {
  limit?: InputMaybe<Scalars['Int']['input']>;
  offset?: InputMaybe<Scalars['Int']['input']>;
};

export type QueryUsersConnectionArgs = {
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
  User: User;
};

/** Mapping of federation reference types */
export type FederationReferenceTypes = {
  User: { __typename: 'User' } & GraphQLRecursivePick<FederationTypes['User'], { id: true }>;
};

/** Mapping of interface types */
export type ResolversInterfaceTypes<_RefType extends Record<string, unknown>> = {
  Node: UserModel;
};

/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  caching__Scope: Caching__Scope;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  UserRole: UserRole;
  Node: ResolverTypeWrapper<ResolversInterfaceTypes<ResolversTypes>['Node']>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  User: ResolverTypeWrapper<UserModel>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  UserConnection: ResolverTypeWrapper<
    Omit<UserConnection, 'edges' | 'nodes'> & {
      edges: ReadonlyArray<ResolversTypes['UserEdge']>;
      nodes: ReadonlyArray<ResolversTypes['User']>;
    }
  >;
  UserEdge: ResolverTypeWrapper<Omit<UserEdge, 'node'> & { node: ResolversTypes['User'] }>;
  CreateUserInput: CreateUserInput;
  UserBy: UserBy;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  OnlineUser: ResolverTypeWrapper<OnlineUser>;
  UserStatus: ResolverTypeWrapper<Omit<UserStatus, 'user'> & { user: ResolversTypes['User'] }>;
  Subscription: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  DateTime: Scalars['DateTime']['output'];
  Node: ResolversInterfaceTypes<ResolversParentTypes>['Node'];
  ID: Scalars['ID']['output'];
  User: UserModel;
  String: Scalars['String']['output'];
  PageInfo: PageInfo;
  Boolean: Scalars['Boolean']['output'];
  UserConnection: Omit<UserConnection, 'edges' | 'nodes'> & {
    edges: ReadonlyArray<ResolversParentTypes['UserEdge']>;
    nodes: ReadonlyArray<ResolversParentTypes['User']>;
  };
  UserEdge: Omit<UserEdge, 'node'> & { node: ResolversParentTypes['User'] };
  CreateUserInput: CreateUserInput;
  UserBy: UserBy;
  Mutation: Record<PropertyKey, never>;
  OnlineUser: OnlineUser;
  UserStatus: Omit<UserStatus, 'user'> & { user: ResolversParentTypes['User'] };
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

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export type NodeResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['Node'] = ResolversParentTypes['Node'],
> = {
  __resolveType: TypeResolveFn<'User', ParentType, ContextType>;
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
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  email?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  role?: Resolver<ResolversTypes['UserRole'], ParentType, ContextType>;
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

export type UserConnectionResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['UserConnection'] = ResolversParentTypes['UserConnection'],
> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['UserEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['User']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type UserEdgeResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['UserEdge'] = ResolversParentTypes['UserEdge'],
> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['User'], ParentType, ContextType>;
};

export type MutationResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation'],
> = {
  createUser?: Resolver<
    ResolversTypes['User'],
    ParentType,
    ContextType,
    RequireFields<MutationCreateUserArgs, 'input'>
  >;
};

export type OnlineUserResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['OnlineUser'] = ResolversParentTypes['OnlineUser'],
> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  lastSeen?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type UserStatusResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['UserStatus'] = ResolversParentTypes['UserStatus'],
> = {
  userId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  online?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  lastSeen?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  user?: Resolver<ResolversTypes['User'], ParentType, ContextType>;
};

export type SubscriptionResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['Subscription'] = ResolversParentTypes['Subscription'],
> = {
  userStatusChanged?: SubscriptionResolver<
    ResolversTypes['UserStatus'],
    'userStatusChanged',
    ParentType,
    ContextType,
    RequireFields<SubscriptionUserStatusChangedArgs, 'userId'>
  >;
};

export type QueryResolvers<
  ContextType = SubgraphContext,
  ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query'],
> = {
  onlineUsers?: Resolver<ReadonlyArray<ResolversTypes['OnlineUser']>, ParentType, ContextType>;
  user?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType, RequireFields<QueryUserArgs, 'id'>>;
  userBy?: Resolver<
    Maybe<ResolversTypes['User']>,
    ParentType,
    ContextType,
    RequireFields<QueryUserByArgs, 'by'>
  >;
  users?: Resolver<
    ReadonlyArray<ResolversTypes['User']>,
    ParentType,
    ContextType,
    RequireFields<QueryUsersArgs, 'limit' | 'offset'>
  >;
  usersConnection?: Resolver<
    ResolversTypes['UserConnection'],
    ParentType,
    ContextType,
    Partial<QueryUsersConnectionArgs>
  >;
  me?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType>;
};

export type Resolvers<ContextType = SubgraphContext> = {
  DateTime?: GraphQLScalarType;
  Node?: NodeResolvers<ContextType>;
  User?: UserResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  UserConnection?: UserConnectionResolvers<ContextType>;
  UserEdge?: UserEdgeResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  OnlineUser?: OnlineUserResolvers<ContextType>;
  UserStatus?: UserStatusResolvers<ContextType>;
  Subscription?: SubscriptionResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
};

export type DirectiveResolvers<ContextType = SubgraphContext> = {
  cacheControl?: CacheControlDirectiveResolver<any, any, ContextType>;
};
