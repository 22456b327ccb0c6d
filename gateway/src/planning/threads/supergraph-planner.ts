import { createRequire } from 'node:module';
import type { QueryPlan } from '@apollo/query-planner';
import { parse, type GraphQLSchema } from 'graphql';
import { trustApiSchema } from '../../supergraph/api-schema.ts';
import { buildClientSchema } from '../../supergraph/build-supergraph.ts';
import { separateRequirements } from './requirements.ts';
import { resolvableKeysFirst } from './resolvable-keys-first.ts';
import { translatePlan, type PlanTranslation } from './translate-plan.ts';
import { federationInternals } from '../../supergraph/apollo-packages.ts';

const require = createRequire(import.meta.url);
/** Required as {@link federationInternals} is; the thread that serves does without it. */
const { QueryPlanner } = require('@apollo/query-planner') as typeof import('@apollo/query-planner');

/** Makes query plans for one supergraph. */
export interface SupergraphPlanner {
  /**
   * @param operation the text of a document with one operation, without conditions on variables
   * @param overrideLabels labels of progressive overrides that are on
   * @throws when the planner finds no plan
   */
  plan(operation: string, overrideLabels?: readonly string[]): QueryPlan;
  /** The schema of clients, made when it is first asked for: that takes as long as preparing planning. */
  clientSchema(): GraphQLSchema;
}

/**
 * How many plans are compared for one operation. The planner's own default of 10,000 takes it up to ten seconds on
 * fragments of many types, 2,000 half a second. Beyond that it looks at fewer ways: what it finds is right all the same.
 */
const MAX_EVALUATED_PLANS = 2_000;

/** Prepares planning: about 100 ms of CPU. */
export function createSupergraphPlanner(sdl: string): SupergraphPlanner {
  const { document, requirements } = separateRequirements(sdl);
  const federated = federationInternals.Supergraph.build(resolvableKeysFirst(document), {
    supportedFeatures: federationInternals.ROUTER_SUPPORTED_SUPERGRAPH_FEATURES,
    // It was validated as it came. What a variant replaces may now be declared and required by no one.
    validateSupergraph: false,
  });
  trustApiSchema(federated.schema);
  const planner = new QueryPlanner(federated, {
    incrementalDelivery: { enableDefer: true },
    debug: { maxEvaluatedPlans: MAX_EVALUATED_PLANS },
  });
  const apiSchema = federated.apiSchema();
  const translation: PlanTranslation = { requirements, graphOf: federated.subgraphNameToGraphEnumValue() };
  let clientSchema: GraphQLSchema | undefined;
  return {
    clientSchema: () => (clientSchema ??= buildClientSchema(sdl)),
    plan(operation, overrideLabels = []) {
      const parsed = federationInternals.operationFromDocument(
        apiSchema,
        parse(operation, { noLocation: true }),
        {
          validate: false,
        },
      );
      const overrideConditions = new Map(overrideLabels.map((label) => [label, true]));
      return translatePlan(planner.buildQueryPlan(parsed, { overrideConditions }), translation);
    },
  };
}
