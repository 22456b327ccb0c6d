import type { GraphQLFormattedError } from 'graphql';
import type { WholeBody } from '@trellis/http1';
import type { CachePolicy } from '../caching/cache-policy.ts';
import type { ForwardedHeaders } from '../plan/forwarded-headers.ts';
import type { IncrementalResult } from '../execution/incremental-result.ts';
import type { AdmittedOperation } from './admitted-operation.ts';
import type { ResultStream } from './result-stream.ts';
import type { StageName } from './stages.ts';

/** What the pipeline makes of a request: exactly one of these. Each transport writes them in its protocol. */
export type PipelineResult = OperationResult | IncrementalOperationResult | StreamResult;

/** One response, or the first part of one. */
export interface OperationResult {
  readonly kind: 'single';
  /** The data as JSON text; `null` where an error reached the root; absent where the operation was not executed. */
  readonly data: string | undefined;
  /** The whole response as bytes, where it is nothing but data and large. */
  readonly body?: WholeBody | undefined;
  /** Empty where there are none. */
  readonly errors: readonly GraphQLFormattedError[];
  /** What the operator lets clients see beside the response; absent where that is nothing. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
  /** How long it may be stored, as long as nothing is missing. Absent: not at all. */
  readonly cachePolicy?: CachePolicy | undefined;
  /** Headers of subgraphs for the client. Then no one else may get this response. */
  readonly headers?: ForwardedHeaders | undefined;
  /** Where a run that was not executed ended, for the log. */
  readonly stage?: StageName | undefined;
  /** What ran, for logs and metrics; absent where the request did not get that far. */
  readonly admitted: AdmittedOperation | undefined;
}

/** A response whose deferred fragments come later: at least one is pending. Only where the transport carries parts. */
export interface IncrementalOperationResult extends IncrementalResult<
  OperationResult,
  GraphQLFormattedError
> {
  readonly kind: 'parts';
}

/** A subscription, or a query that is stored live: responses until someone ends it. Only where the transport carries streams. */
export interface StreamResult {
  readonly kind: 'stream';
  readonly stream: ResultStream;
  readonly admitted: AdmittedOperation;
}
