import type { Caller } from '../identity/caller.ts';
import type { CachePolicy } from '../caching/cache-policy.ts';
import type { Decided, Variables } from '../operation/document/decided-conditions.ts';
import type { Denied } from '../operation/access/requirement.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import type { ErrorBehavior } from '../request/context.ts';
import type { Operation } from '../operation/operation.ts';

/** An operation that may run, for a caller who is known. */
export interface AdmittedOperation {
  /** The generation of the graph that it runs on to its end. */
  readonly supergraph: Supergraph;
  /** The text of its document. */
  readonly text: string;
  readonly operation: Operation;
  readonly variables: Variables;
  readonly decided: Decided;
  /** The variables as the client sent them. */
  readonly givenVariables: Readonly<Record<string, unknown>>;
  /** The request's extensions as the client sent them. */
  readonly extensions: Readonly<Record<string, unknown>>;
  readonly onError: ErrorBehavior;
  readonly cost: number;
  /** How long its response may be stored, by what the schema says of what is asked for. */
  readonly cacheHints: CachePolicy;
  readonly caller: Caller;
  /** What this caller is denied of it. */
  readonly denied: Denied;
}
