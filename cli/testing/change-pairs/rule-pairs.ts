import { fieldA, one, pair, type ChangePairs } from './change-pair.ts';

const TOKEN = '@authenticated';
const scopes = (...names: readonly string[]): string =>
  `@requiresScopes(scopes: [[${names.map((name) => `"${name}"`).join(', ')}]])`;

/** Of rights, limits, caching, subscriptions and tags. */
export const rulePairs: ChangePairs = {
  RIGHTS_ADDED: fieldA('Query.a', ': Int', `: Int ${TOKEN}`),
  RIGHTS_TIGHTENED: fieldA('Query.a', `: Int ${scopes('a')}`, `: Int ${scopes('a', 'b')}`),
  RIGHTS_LOOSENED: fieldA('Query.a', `: Int ${scopes('a', 'b')}`, `: Int ${scopes('a')}`),
  RIGHTS_REMOVED: fieldA('Query.a', `: Int ${scopes('a')}`, ': Int'),
  RIGHTS_REPLACED: fieldA('Query.a', `: Int ${scopes('a')}`, `: Int ${scopes('admin')}`),
  POLICY_ADDED: fieldA('Query.a', ': Int', ': Int @policy(policies: [["p"]])'),
  POLICY_REMOVED: fieldA('Query.a', ': Int @policy(policies: [["p"]])', `: Int ${TOKEN}`),
  COST_RAISED: fieldA('Query.a', ': Int @cost(weight: 5)', ': Int @cost(weight: 5000)'),
  COST_LOWERED: fieldA('Query.a', ': Int @cost(weight: 5)', ': Int'),
  LIST_SIZE_CHANGED: fieldA('Query.a', ': [Int] @listSize(assumedSize: 5)', ': [Int]'),
  DEPTH_ALLOWANCE_CHANGED: fieldA(
    'Query.a',
    ': T @depthAllowance(extra: 3)',
    ': T',
    '{ a { b } }',
    'type T { b: Int }',
  ),
  LIMIT_LOWERED: {
    ...fieldA('limits.cost', ': Int @cost(weight: 50)', ': Int @cost(weight: 50)'),
    settings: { before: 'limits: { cost: 100 }', after: 'limits: { cost: 10 }' },
  },
  CACHE_MADE_PUBLIC: fieldA(
    'Query.a',
    ': Int @cacheControl(maxAge: 9, scope: PRIVATE)',
    ': Int @cacheControl(maxAge: 9, scope: PUBLIC)',
  ),
  CACHE_MADE_PRIVATE: fieldA(
    'Query.a',
    ': Int @cacheControl(maxAge: 9, scope: PUBLIC)',
    ': Int @cacheControl(maxAge: 9, scope: PRIVATE)',
  ),
  CACHE_AGE_RAISED: fieldA('Query.a', ': Int @cacheControl(maxAge: 9)', ': Int @cacheControl(maxAge: 99)'),
  CACHE_AGE_LOWERED: fieldA('Query.a', ': Int @cacheControl(maxAge: 9)', ': Int'),
  SHARED_SUBSCRIPTION_ADDED: one(
    'Subscription.a',
    'type Subscription { a: Int }',
    'type Subscription { a: Int @sharedSubscription }',
    'subscription { a }',
  ),
  SHARED_SUBSCRIPTION_REMOVED: one(
    'Subscription.a',
    'type Subscription { a: Int @sharedSubscription }',
    'type Subscription { a: Int }',
    'subscription { a }',
  ),
  SUBSCRIPTION_MOVED: pair(
    'Subscription.a',
    { s: 'type Query { other: Int }\ntype Subscription { a: Int b: Int }', t: 'type Query { t: Int }' },
    {
      s: 'type Query { other: Int }\ntype Subscription { b: Int }',
      t: 'type Query { t: Int }\ntype Subscription { a: Int }',
    },
    'subscription { a }',
  ),
  SUBSCRIPTION_TRANSPORT_CHANGED: {
    ...one('s', 'type Subscription { a: Int }', 'type Subscription { a: Int }', 'subscription { a }'),
    settings: { before: '{}', after: 'subscriptions: { transport: sse }' },
  },
  TAG_ADDED: fieldA('Query.a', ': Int', ': Int @tag(name: "partner")'),
  TAG_REMOVED: fieldA('Query.a', ': Int @tag(name: "partner") @deprecated', ': Int @deprecated'),
};
