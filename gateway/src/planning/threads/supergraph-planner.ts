import { createRequire } from 'node:module';
import type { Schema, Supergraph as FederatedSchema } from '@apollo/federation-internals';
import type { QueryPlan } from '@apollo/query-planner';
import { Kind, parse, type DocumentNode, type GraphQLSchema } from 'graphql';
import { trustApiSchema } from '../../supergraph/api-schema.ts';
import { buildClientSchema } from '../../supergraph/build-supergraph.ts';
import { separateRequirements, type Requirements } from './requirements.ts';
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

/**
 * Prepares planning: about 100 ms of CPU.
 *
 * @param read the same text as it was read before; planning changes nothing in it. @default it is read here
 */
export function createSupergraphPlanner(sdl: string, read?: Schema): SupergraphPlanner {
  const { federated, requirements } = planningBasisOf(sdl, read);
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

/** Without these words there is neither a requirement nor a key that is not resolvable: nothing is planned in another way than it is written. */
const REWRITTEN = /\b(?:requires(?:[\s,]|#.*)*:(?:[\s,]|#.*)*"|resolvable(?:[\s,]|#.*)*:(?:[\s,]|#.*)*false)/;

const NOTHING: DocumentNode = { kind: Kind.DOCUMENT, definitions: [] };

interface PlanningBasis {
  readonly federated: FederatedSchema;
  readonly requirements: Requirements;
}

function planningBasisOf(sdl: string, read: Schema | undefined): PlanningBasis {
  const written = read && !REWRITTEN.test(sdl) ? NOTHING : parse(sdl);
  const separated = separateRequirements(written);
  const document = resolvableKeysFirst(separated.document);
  const { requirements } = separated;
  const { ROUTER_SUPPORTED_SUPERGRAPH_FEATURES: supportedFeatures, Supergraph } = federationInternals;
  if (read && document === written)
    return { federated: new Supergraph(read, supportedFeatures, false), requirements };
  // It was validated as it came. What a variant replaces may now be declared and not required.
  const federated = Supergraph.build(document, { supportedFeatures, validateSupergraph: false });
  trustApiSchema(federated.schema);
  return { federated, requirements };
}
