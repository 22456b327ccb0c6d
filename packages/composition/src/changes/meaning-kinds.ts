import type { ChangeKind } from './change-kind.ts';

const EXPOSES = 'Approve it with a reason, and `exposure: true`, if it is meant.';
const ASK_SCOPES = 'Give the clients concerned the scopes first, or protect a new field instead.';
const ORDER = 'Deploy in the order that the check lists.';
const COSTS = 'Compare the limits with what the operations concerned cost.';

/** Codes of changes of what callers may, pay and get from caches and streams. */
export type MeaningCode =
  | 'RIGHTS_ADDED'
  | 'RIGHTS_TIGHTENED'
  | 'RIGHTS_LOOSENED'
  | 'RIGHTS_REMOVED'
  | 'RIGHTS_REPLACED'
  | 'POLICY_ADDED'
  | 'POLICY_REMOVED'
  | 'COST_RAISED'
  | 'COST_LOWERED'
  | 'LIST_SIZE_CHANGED'
  | 'DEPTH_ALLOWANCE_CHANGED'
  | 'LIMIT_LOWERED'
  | 'CACHE_MADE_PUBLIC'
  | 'CACHE_MADE_PRIVATE'
  | 'CACHE_AGE_RAISED'
  | 'CACHE_AGE_LOWERED'
  | 'SHARED_SUBSCRIPTION_ADDED'
  | 'SHARED_SUBSCRIPTION_REMOVED'
  | 'SUBSCRIPTION_MOVED'
  | 'SUBSCRIPTION_TRANSPORT_CHANGED'
  | 'TAG_ADDED'
  | 'TAG_REMOVED';

/** Every kind of change of rights, costs, caching, subscriptions and tags, by its code. */
export const meaningKinds: Readonly<Record<MeaningCode, ChangeKind>> = {
  RIGHTS_ADDED: {
    meaning: 'A field or type that was open to all needs a token, or scopes',
    action: ASK_SCOPES,
    verdict: 'breaking',
    withUsage: 'rights',
  },
  RIGHTS_TIGHTENED: {
    meaning: 'A field or type needs more than before',
    action: ASK_SCOPES,
    verdict: 'breaking',
    withUsage: 'rights',
  },
  RIGHTS_LOOSENED: {
    meaning: 'A field or type needs less than before',
    action: EXPOSES,
    verdict: 'breaking',
    withUsage: 'always',
    exposure: true,
  },
  RIGHTS_REMOVED: {
    meaning: 'A field or type that was protected is open to all',
    action: EXPOSES,
    verdict: 'breaking',
    withUsage: 'always',
    exposure: true,
  },
  RIGHTS_REPLACED: {
    meaning: 'A field or type lets in other callers than before, and not all of those from before',
    action: EXPOSES,
    verdict: 'breaking',
    withUsage: 'always',
    exposure: true,
  },
  POLICY_ADDED: {
    meaning: 'A @policy was added to a field or type',
    action: 'See who meets the policy: usage does not record it.',
    verdict: 'breaking',
    withUsage: 'always',
  },
  POLICY_REMOVED: {
    meaning: 'A @policy was removed from a field or type',
    action: EXPOSES,
    verdict: 'breaking',
    withUsage: 'always',
    exposure: true,
  },
  COST_RAISED: {
    meaning: 'A @cost was raised, or added above what settings say',
    action: COSTS,
    verdict: 'dangerous',
    withUsage: 'cost',
  },
  COST_LOWERED: {
    meaning: 'A @cost was lowered or removed: operations may ask for more',
    action: 'See that the subgraph bears it.',
    verdict: 'dangerous',
    withUsage: 'cost',
  },
  LIST_SIZE_CHANGED: {
    meaning: 'A @listSize was added, changed or removed',
    action: COSTS,
    verdict: 'dangerous',
    withUsage: 'cost',
  },
  DEPTH_ALLOWANCE_CHANGED: {
    meaning: 'A @depthAllowance changed',
    action: COSTS,
    verdict: 'dangerous',
    withUsage: 'cost',
  },
  LIMIT_LOWERED: {
    meaning: 'A limit of gateway.yaml was lowered',
    action: COSTS,
    verdict: 'dangerous',
    withUsage: 'cost',
  },
  CACHE_MADE_PUBLIC: {
    meaning: 'Responses with a field or type that was PRIVATE may be stored for all',
    action: EXPOSES,
    verdict: 'breaking',
    withUsage: 'always',
    exposure: true,
  },
  CACHE_MADE_PRIVATE: {
    meaning: 'Responses with a field or type are not stored for all any more',
    action: 'See that the subgraphs bear the requests that caches responded to.',
    verdict: 'dangerous',
    withUsage: 'used',
  },
  CACHE_AGE_RAISED: {
    meaning: 'Responses may be stored longer',
    action: 'See that clients bear older data.',
    verdict: 'dangerous',
    withUsage: 'used',
  },
  CACHE_AGE_LOWERED: {
    meaning: 'Responses may be stored for less time, or not at all',
    action: 'See that the subgraphs bear the requests that caches responded to.',
    verdict: 'dangerous',
    withUsage: 'used',
  },
  SHARED_SUBSCRIPTION_ADDED: {
    meaning: 'One stream of events serves several users: @sharedSubscription was added',
    action: EXPOSES,
    verdict: 'breaking',
    withUsage: 'always',
    exposure: true,
  },
  SHARED_SUBSCRIPTION_REMOVED: {
    meaning: '@sharedSubscription was removed: each user has a stream of its own',
    action: 'See that the subgraph bears the streams.',
    verdict: 'dangerous',
    withUsage: 'used',
  },
  SUBSCRIPTION_MOVED: {
    meaning: 'Events of a subscription come from another subgraph',
    action: ORDER,
    verdict: 'dangerous',
    withUsage: 'used',
  },
  SUBSCRIPTION_TRANSPORT_CHANGED: {
    meaning: 'The gateway subscribes to a subgraph by another transport',
    action: 'See that the subgraph serves it.',
    verdict: 'dangerous',
    withUsage: 'always',
  },
  TAG_ADDED: {
    meaning: 'A @tag was added: contracts may show or hide more',
    action: 'Check the contracts that name it.',
    verdict: 'dangerous',
    withUsage: 'always',
  },
  TAG_REMOVED: {
    meaning: 'A @tag was removed: contracts may show or hide more',
    action: 'Check the contracts that name it.',
    verdict: 'dangerous',
    withUsage: 'always',
  },
};
