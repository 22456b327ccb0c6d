import type { PresentedProof } from '../identity/presented-proof.ts';
import { tooComplex } from '../errors.ts';
import type { ClientSoftware } from '../identity/caller.ts';
import type { Uploads } from './uploads.ts';

/** A GraphQL request as a client sent it, whatever the transport. Members are checked for their JSON types, no more. */
export interface GraphRequest {
  readonly query: string | undefined;
  /** The id of a persisted document, in the place of the text. */
  readonly documentId: string | undefined;
  readonly operationName: string | undefined;
  /** As parsed from JSON: own properties only may be read. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly extensions: Readonly<Record<string, unknown>>;
  /** What errors do to non-null positions. Absent: as the gateway is configured. */
  readonly onError?: ErrorBehavior | undefined;
}

/** Header fields of a client's request, names in lower case, as node:http gives them. */
export type ClientHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What the pipeline knows about the request besides the operation itself. */
export interface RequestContext {
  /** Names the request in logs, in `x-request-id`, and towards subgraphs. */
  readonly requestId: string;
  readonly headers: ClientHeaders;
  /** What the client says of its program on a transport without headers of its own. */
  readonly software?: ClientSoftware | undefined;
  /** The client's network address, as reported by trusted proxies. */
  readonly address: string;
  /** The value of the `Authorization` header, or what stands for it on the transport. */
  readonly authorization: string | undefined;
  /** Goes with a token that is bound to a key. */
  readonly proof?: PresentedProof | undefined;
  /** Thumbprint of the client's certificate, as a trusted proxy says. */
  readonly certificate?: string | undefined;
  /** Aborts when the client disconnected or the time for a response has passed. */
  readonly signal: AbortSignal;
  /** Whether transport and client take incremental delivery. Otherwise `@defer` has no effect. */
  readonly acceptsIncremental: boolean;
  /** Which operation types the transport can carry; others are rejected before anything is executed. */
  readonly accepts: 'query' | 'query-mutation' | 'query-subscription' | 'any';
  /**
   * Counts in an operation before anything of it is read, where the transport does not count requests of their own. Throws when
   * the process can't take it.
   */
  readonly enter?: () => void;
  /** Files that come with the operation. Absent where none do. */
  readonly uploads?: Uploads | undefined;
  /** What all operations of the same request may cost together; absent where it has one. */
  readonly budget?: CostBudget | undefined;
}

/** What the operations of one request may cost together: ten in a batch may not ask for ten times as much as one. */
export class CostBudget {
  #spent = 0;

  /**
   * Takes the cost of one more operation. What is rejected is not taken, so that what is cheap may still come after it.
   *
   * @throws RequestError QUERY_TOO_COMPLEX naming `cost`, with what all of them cost
   */
  spend(cost: number, maximum: number): void {
    const total = this.#spent + cost;
    if (total > maximum) throw tooComplex('cost', maximum, total);
    this.#spent = total;
  }
}

/** What happens at a non-null position whose value is missing because of an error. */
export const errorBehaviors = ['PROPAGATE', 'NULL', 'HALT'] as const;

/**
 * `PROPAGATE`: the nearest position above that may be null is null. `NULL`: the position itself is null. `HALT`: the data is
 * null, and the first error is the only one.
 *
 * @see GraphQL specification, working draft "Error behaviors" (graphql-spec#1163), "Handling Execution Errors"
 */
export type ErrorBehavior = (typeof errorBehaviors)[number];

/** Whether this is the name of an {@link ErrorBehavior}. Names are in upper case. */
export function isErrorBehavior(value: unknown): value is ErrorBehavior {
  return errorBehaviors.some((behavior) => behavior === value);
}
