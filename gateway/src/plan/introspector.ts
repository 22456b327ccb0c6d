import type { QueueCaller } from '@trellis/admission';
import type { ErrorBehavior } from '../request/error-behavior.ts';
import type { Variables } from '../operation/document/variables.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';

/** A question about the schema of a supergraph. */
export interface IntrospectionRequest {
  readonly supergraph: Supergraph;
  /** As an operation of one field, without conditions. */
  readonly text: string;
  /** The variables that it takes. */
  readonly variables: Variables;
  /** What `__service` says of it. */
  readonly defaultOnError: ErrorBehavior;
  /** In whose share of the planner threads it counts. @default the gateway's own */
  readonly caller: QueueCaller | undefined;
}

/** Answers questions about the schema of clients, beside the event loop. */
export interface Introspector {
  /**
   * @returns JSON; at once where the response is remembered
   * @throws GraphQLError QUERY_TOO_COMPLEX, RESPONSE_TOO_LARGE, OVERLOADED, RATE_LIMITED; the signal's reason
   */
  introspect(request: IntrospectionRequest, signal: AbortSignal): string | Promise<string>;
}
