import type { DocumentNode, FieldNode } from 'graphql';
import type { Supergraph } from '../supergraph/supergraph.ts';

/** Why a field is refused to a caller. It becomes the field's error. */
export interface Denial {
  readonly code: string;
  readonly message: string;
}

/** The variables of one request: coerced by the operation's definitions, defaults applied, read by own properties alone. */
export type Variables = Readonly<Record<string, unknown>>;

/** What is to be planned. */
export interface PlanRequest {
  readonly supergraph: Supergraph;
  /** Valid against `supergraph.schema`. */
  readonly document: DocumentNode;
  /** SHA-256 of the document's text, hexadecimal. Computed once per document object when absent. */
  readonly documentHash?: string | undefined;
  /** Which operation of the document runs. May be absent when it holds one. */
  readonly operationName?: string | undefined;
  readonly variables: Variables;
  /**
   * Field nodes of `document` that the caller may not see: no subgraph is asked for them; wherever they would stand
   * is null and an error with that path, by the rules of null propagation.
   */
  readonly denied?: ReadonlyMap<FieldNode, Denial> | undefined;
  /** Whether the client takes the answer in parts: otherwise `@defer` has no effect. @default false */
  readonly incremental?: boolean | undefined;
}

/** Makes plans, remembers them, and makes each one once however many ask for it. */
export interface OperationPlanner {
  /**
   * @throws GraphQLError QUERY_TOO_COMPLEX when a bound of planning is exceeded
   * @throws GraphQLError INTERNAL_SERVER_ERROR when the planner fails
   * @throws the signal's reason; the plan is still made for others who wait for it
   */
  planOperation(request: PlanRequest, signal: AbortSignal): Promise<OperationPlan>;
  /** Ends the worker thread. */
  close(): Promise<void>;
}

/** A plan made executable for one operation of one supergraph, shared by all its requests. Opaque but for these members. */
export interface OperationPlan {
  readonly supergraph: Supergraph;
  readonly kind: 'query' | 'mutation' | 'subscription';
  /** Whether a client that takes parts gets more than one. */
  readonly deferred: boolean;
}
