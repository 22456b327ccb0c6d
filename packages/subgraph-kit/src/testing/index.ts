export {
  startTestSubgraph,
  type GraphResponse,
  type ResponseError,
  type Question,
  type TestSubgraph,
  type TestSubgraphOptions,
} from './test-subgraph.ts';
export { type SubscriptionQuestion, type TestSubscription } from './subscribe.ts';
export { casesOf, meetHazard, mutationsOf, type HazardCase, type HazardTable } from './mutation-hazards.ts';
