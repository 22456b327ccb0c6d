import type { ChangeKind } from './change-kind.ts';

const ORDER = 'Deploy in the order that the check lists.';
const PROOF = 'Nothing, where the proof of the window holds.';

/** Codes of changes of how subgraphs resolve the graph. */
export type StructureCode =
  | 'ROUTING_URL_CHANGED'
  | 'ROUTING_URL_INSECURE'
  | 'SUBGRAPH_ADDED'
  | 'SUBGRAPH_REMOVED'
  | 'KEY_ADDED'
  | 'KEY_REMOVED'
  | 'KEY_RESOLVABLE_CHANGED'
  | 'REQUIRES_CHANGED'
  | 'PROVIDES_CHANGED'
  | 'CONTEXT_CHANGED'
  | 'INTERFACE_OBJECT_CHANGED'
  | 'OVERRIDE_ADDED'
  | 'OVERRIDE_REMOVED'
  | 'OVERRIDE_LABEL_CHANGED'
  | 'FIELD_MOVED'
  | 'RESOLVER_ADDED'
  | 'RESOLVER_REMOVED'
  | 'DEPLOY_FIRST'
  | 'PUBLISH_FIRST'
  | 'NOT_IN_ONE_STEP'
  | 'PLAN_LONGER'
  | 'NOT_PLANNABLE';

/** Every kind of change of how subgraphs resolve the graph, by its code: addresses, keys, resolvers, order of deployment, plans. */
export const structureKinds: Readonly<Record<StructureCode, ChangeKind>> = {
  ROUTING_URL_CHANGED: {
    meaning: 'A subgraph is asked at another address',
    action: 'See that it serves there before publishing.',
    verdict: 'dangerous',
    withUsage: 'always',
  },
  ROUTING_URL_INSECURE: {
    meaning: 'A subgraph that was asked by https is asked by http',
    action: 'Leave https.',
    verdict: 'breaking',
    withUsage: 'always',
  },
  SUBGRAPH_ADDED: {
    meaning: 'A subgraph was added',
    action: 'Deploy it before publishing.',
    verdict: 'safe',
    withUsage: 'always',
  },
  SUBGRAPH_REMOVED: {
    meaning: 'A subgraph was removed',
    action: 'Publish, and end it when the operations in flight have ended.',
    verdict: 'dangerous',
    withUsage: 'window',
  },
  KEY_ADDED: { meaning: 'A @key was added', action: PROOF, verdict: 'safe', withUsage: 'window' },
  KEY_REMOVED: { meaning: 'A @key was removed', action: PROOF, verdict: 'dangerous', withUsage: 'window' },
  KEY_RESOLVABLE_CHANGED: {
    meaning: 'A @key became resolvable, or is not any more',
    action: PROOF,
    verdict: 'dangerous',
    withUsage: 'window',
  },
  REQUIRES_CHANGED: {
    meaning: 'A field needs other inputs: @requires changed',
    action: PROOF,
    verdict: 'dangerous',
    withUsage: 'window',
  },
  PROVIDES_CHANGED: {
    meaning: 'A @provides changed',
    action: PROOF,
    verdict: 'dangerous',
    withUsage: 'window',
  },
  CONTEXT_CHANGED: {
    meaning: 'A @fromContext changed',
    action: PROOF,
    verdict: 'dangerous',
    withUsage: 'window',
  },
  INTERFACE_OBJECT_CHANGED: {
    meaning: '@interfaceObject was added or removed',
    action: PROOF,
    verdict: 'dangerous',
    withUsage: 'window',
  },
  OVERRIDE_ADDED: {
    meaning: 'An @override was added',
    action: PROOF,
    verdict: 'dangerous',
    withUsage: 'window',
  },
  OVERRIDE_REMOVED: {
    meaning: 'An @override was removed',
    action: PROOF,
    verdict: 'safe',
    withUsage: 'window',
  },
  OVERRIDE_LABEL_CHANGED: {
    meaning: 'The label of an @override changed: another share of requests goes to the new subgraph',
    action: 'See that the new subgraph bears its share.',
    verdict: 'dangerous',
    withUsage: 'window',
  },
  FIELD_MOVED: {
    meaning: 'A field is resolved by other subgraphs, and by none of those from before',
    action: ORDER,
    verdict: 'dangerous',
    withUsage: 'window',
  },
  RESOLVER_ADDED: {
    meaning: 'One more subgraph resolves a field',
    action: PROOF,
    verdict: 'safe',
    withUsage: 'window',
  },
  RESOLVER_REMOVED: {
    meaning: 'One of several subgraphs does not resolve a field any more',
    action: PROOF,
    verdict: 'dangerous',
    withUsage: 'window',
  },
  DEPLOY_FIRST: {
    meaning: 'A subgraph has to be deployed before the supergraph is published',
    action: ORDER,
    verdict: 'safe',
    withUsage: 'always',
  },
  PUBLISH_FIRST: {
    meaning: 'The supergraph has to be published before a subgraph is deployed',
    action: ORDER,
    verdict: 'dangerous',
    withUsage: 'always',
  },
  NOT_IN_ONE_STEP: {
    meaning: 'Neither order of deployment and publishing is right for a subgraph',
    action: 'Take the steps that the check lists.',
    verdict: 'breaking',
    withUsage: 'always',
  },
  PLAN_LONGER: {
    meaning: 'The plan of an operation takes more requests one after the other, or costs a fifth more',
    action: 'Look at the plans with `trellis explain`.',
    verdict: 'dangerous',
    withUsage: 'always',
  },
  NOT_PLANNABLE: {
    meaning: 'The planner finds no plan for an operation that the schema allows',
    action: 'Look at the @key and `resolvable` on the way to the field.',
    verdict: 'breaking',
    withUsage: 'always',
  },
};
