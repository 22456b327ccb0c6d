import type { SpanContext } from '@opentelemetry/api';
import type { RequestContext } from '../request/context.ts';
import type { AdmittedOperation } from './admitted-operation.ts';
import type { StageName } from './stages.ts';

/** What runs: a request's operation with its deferred fragments, an event of a subscription, or a tick of a live query. */
export type RunKind = 'request' | 'event' | 'tick';

/** What a run knows of the request that it is made for. */
export interface RunContext extends Pick<
  RequestContext,
  'requestId' | 'headers' | 'software' | 'address' | 'signal'
> {
  /** The span in which the stream was opened that an event or a tick belongs to. */
  readonly opened?: SpanContext | undefined;
}

/** What a trace records of a run. */
export interface TracedRun {
  readonly kind: RunKind;
  readonly context: RunContext;
  /** Absent until the operation has been admitted. */
  readonly admitted: AdmittedOperation | undefined;
  /** The stage that the run is in, or ended in. */
  readonly stage: StageName | undefined;
  /** The code of the first error that the client is shown. */
  readonly errorCode: string | undefined;
}

/** Records runs as spans. */
export interface RunTracer {
  /** Performs a run within a span of its own, and records how it ended. @throws what `perform` throws */
  trace<Result>(run: TracedRun, perform: () => Promise<Result>): Promise<Result>;
  /** Begins a span below the current one. @returns ends it */
  begin(name: string): () => void;
  /** The span under way. */
  current(): SpanContext | undefined;
}
