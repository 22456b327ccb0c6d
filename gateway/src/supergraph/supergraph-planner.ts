import {
  operationFromDocument,
  ROUTER_SUPPORTED_SUPERGRAPH_FEATURES,
  Supergraph as FederatedSchema,
} from '@apollo/federation-internals';
import { QueryPlanner, type QueryPlan } from '@apollo/query-planner';
import { parse } from 'graphql';
import { separateRequirements } from './requirements.ts';
import { translatePlan, type PlanTranslation } from './translate-plan.ts';

/** Makes query plans for one supergraph. */
export interface SupergraphPlanner {
  /**
   * @param operation the text of a document with one operation, without conditions on variables
   * @param overrideLabels labels of progressive overrides that are on
   * @throws when the planner finds no plan
   */
  plan(operation: string, overrideLabels?: readonly string[]): QueryPlan;
}

/** Prepares planning: about 100 ms of CPU. */
export function createSupergraphPlanner(sdl: string): SupergraphPlanner {
  const { document, requirements } = separateRequirements(sdl);
  const federated = FederatedSchema.build(document, {
    supportedFeatures: ROUTER_SUPPORTED_SUPERGRAPH_FEATURES,
    // It was validated as it came. What a variant replaces may now be declared and required by nobody.
    validateSupergraph: false,
  });
  const planner = new QueryPlanner(federated, { incrementalDelivery: { enableDefer: true } });
  const apiSchema = federated.apiSchema();
  const translation: PlanTranslation = { requirements, graphOf: federated.subgraphNameToGraphEnumValue() };
  return {
    plan(operation, overrideLabels = []) {
      const parsed = operationFromDocument(apiSchema, parse(operation), { validate: false });
      const overrideConditions = new Map(overrideLabels.map((label) => [label, true]));
      return translatePlan(planner.buildQueryPlan(parsed, { overrideConditions }), translation);
    },
  };
}
