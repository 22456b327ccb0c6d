import type { GraphQLSchema } from 'graphql';
import { RequestError } from '../errors.ts';
import { createOperationCache, type OperationCache } from '../operation/operation-cache.ts';
import type { Operation } from '../operation/operation.ts';
import { makePlan } from '../planning/make-plan.ts';
import { createSupergraphPlanner, type SupergraphPlanner } from '../planning/threads/supergraph-planner.ts';
import { DEFAULT_LIMITS } from '../settings/limits.ts';
import { buildSupergraph } from '../supergraph/build-supergraph.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { readGraphMeaning, type OfflineMeaning } from './graph-meaning.ts';
import { offlinePlanOf, type OfflinePlan } from './offline-plan.ts';
import type { OfflineSettings } from './offline-settings.ts';

/** An operation that the gateway would reject whatever the caller and the variables. */
export interface RejectedOperation {
  readonly kind: 'rejected';
  readonly code: string;
  readonly message: string;
  /** The limit that it exceeds. */
  readonly limit: string | undefined;
}

/** An operation that the gateway would take. */
export interface AcceptedOperation {
  readonly kind: 'accepted';
  readonly name: string | undefined;
  readonly type: 'query' | 'mutation' | 'subscription';
  readonly depth: number;
  /** The variables of `@skip` and `@include`. */
  readonly conditionVariables: readonly string[];
  /** With these values of variables: raw, those of conditions among them. */
  readonly costOf: (variables: Readonly<Record<string, unknown>>) => number;
  /** @throws Error when there is no plan */
  readonly plan: (variables: Readonly<Record<string, unknown>>) => Promise<OfflinePlan>;
}

/**
 * A supergraph as the gateway serves it, without a gateway: limits, costs, rights and plans of operations. It plans in its own
 * thread, without a deadline: for operations that are trusted.
 */
export class OfflineGraph {
  readonly #supergraph: Supergraph;
  readonly #operationCaches: readonly OperationCache[];
  #planner: SupergraphPlanner | undefined;
  #meaning: OfflineMeaning | undefined;

  /**
   * @param isComposedHere whether the text comes straight from composition, and is not validated again
   * @throws InvalidSupergraph when the text is no supergraph, or uses what can't be honoured
   */
  constructor(supergraphSdl: string, settings: OfflineSettings, isComposedHere = false) {
    this.#supergraph = buildSupergraph(supergraphSdl, { isComposedHere, isClientSchemaTrusted: true });
    this.#operationCaches = operationCaches(this.#supergraph, settings);
  }

  /** The schema of clients. */
  get schema(): GraphQLSchema {
    return this.#supergraph.schema;
  }

  get meaning(): OfflineMeaning {
    return (this.#meaning ??= readGraphMeaning(this.#supergraph));
  }

  /**
   * Reads an operation as a request would be: once for each choice of progressive overrides, all off and all on, where the graph has
   * any.
   */
  read(document: string, operationName?: string): readonly (AcceptedOperation | RejectedOperation)[] {
    return this.#operationCaches.map((operationCache) =>
      this.#readBy(operationCache, document, operationName),
    );
  }

  #readBy(
    operationCache: OperationCache,
    document: string,
    operationName: string | undefined,
  ): AcceptedOperation | RejectedOperation {
    try {
      return this.#accepted(operationCache.document(document).operation(operationName));
    } catch (error) {
      if (error instanceof RequestError) return rejectedBy(error);
      throw error;
    }
  }

  #accepted(operation: Operation): AcceptedOperation {
    return {
      kind: 'accepted',
      name: operation.name,
      type: operation.kind,
      depth: operation.measure.depth,
      conditionVariables: operation.conditionVariables.flatMap(({ name, isCount }) => (isCount ? [] : name)),
      costOf: (given) => {
        const variables = withoutPrototype(given);
        return operation.costOf(variables, operation.decide(variables));
      },
      plan: async (given) => {
        const decided = operation.decide(withoutPrototype(given));
        const { selections: maxSelections, defers: maxDefers } = DEFAULT_LIMITS;
        const request = { supergraph: this.#supergraph, operation, decided };
        const { plan } = await makePlan(request, { maxSelections, maxDefers }, (text) =>
          Promise.resolve(this.#planText(text, decided.overrideLabels)),
        );
        return offlinePlanOf(plan);
      },
    };
  }

  #planText(text: string, labels: readonly string[]): ReturnType<SupergraphPlanner['plan']> {
    this.#planner ??= createSupergraphPlanner(this.#supergraph.sdl, this.#supergraph.supergraphSchema);
    return this.#planner.plan(text, labels);
  }
}

function operationCaches(supergraph: Supergraph, settings: OfflineSettings): readonly OperationCache[] {
  const { limits, cost: costs, policies } = settings;
  const labels = [...supergraph.hints.overrideLabels.keys()];
  const choices = labels.length === 0 ? [0] : [1 - Number.EPSILON, 0];
  return choices.map((drawn) =>
    createOperationCache(supergraph, {
      limits,
      costs,
      policies,
      introspection: true,
      overridePercents: Object.fromEntries(labels.map((label) => [label, drawn === 0 ? 100 : 0])),
      random: () => drawn,
    }),
  );
}

function withoutPrototype(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.assign(Object.create(null) as Record<string, unknown>, values);
}

function rejectedBy({ errors, message }: RequestError): RejectedOperation {
  const { code, limit }: Readonly<Record<string, unknown>> = errors[0]?.extensions ?? {};
  const name = typeof limit === 'object' && limit !== null && 'name' in limit ? limit.name : undefined;
  return {
    kind: 'rejected',
    code: String(code),
    message,
    limit: typeof name === 'string' ? name : undefined,
  };
}
