import { EVENT_ID_EXTENSION, readEventId } from '@trellis/subgraph-protocol';
import { isInternal } from '../pipeline/format-errors.ts';
import { runEvent, type SharedOperation } from '../pipeline/stream-runs.ts';
import { StreamedResult } from '../pipeline/result-stream.ts';
import { writeResult } from '../pipeline/write-result.ts';
import type { SubscriptionPlan } from '../plan/plan-steps.ts';
import { errorsOfFailure, failureOf, type StreamFailure } from './stream-failure.ts';
import type { TopicEmitter, TopicSource } from './topic.ts';
import type { UpstreamFailure, UpstreamStream } from './upstream-stream.ts';

/** Results made of a subgraph's events. */
export class SubscriptionSource implements TopicSource {
  readonly #shared: SharedOperation;
  readonly #subscription: SubscriptionPlan;
  readonly #upstream: UpstreamStream;

  constructor(shared: SharedOperation, subscription: SubscriptionPlan, upstream: UpstreamStream) {
    this.#shared = shared;
    this.#subscription = subscription;
    this.#upstream = upstream;
  }

  isEstablished(): boolean {
    return this.#upstream.isEstablished;
  }

  isSameAs(other: TopicSource): boolean {
    return other instanceof SubscriptionSource && other.#upstream === this.#upstream;
  }

  start(emitter: TopicEmitter): () => void {
    const { subgraph } = this.#subscription.primary;
    const closing = new AbortController();
    const ignore = this.#upstream.listen({
      event: (payload) => {
        if (emitter.hasAudience()) emitter.result(this.#makeResult(payload, closing.signal));
      },
      complete: () => emitter.complete(),
      fail: (failure) => emitter.fail(this.#report(this.#failureOf(subgraph, failure))),
    });
    return () => {
      ignore();
      closing.abort();
    };
  }

  #failureOf(subgraph: string, failure: UpstreamFailure): StreamFailure {
    return failureOf(subgraph, failure, this.#shared.services().disclosureOf?.(subgraph));
  }

  /** Once for all of its subscribers. */
  #report(failure: StreamFailure): StreamFailure {
    const { observer } = this.#shared.services();
    for (const error of errorsOfFailure(failure).filter(isInternal))
      observer.internalError(this.#shared.context.requestId, error);
    return failure;
  }

  async #makeResult(payload: unknown, closing: AbortSignal): Promise<StreamedResult> {
    const extensions = extensionsOf(payload);
    const { response, objects } = await runEvent(this.#shared, payload, closing);
    return new StreamedResult(writeResult({ ...response, extensions }), objects);
  }
}

/** The id of the event to resume after is the only extension that a subgraph gets. */
function extensionsOf(payload: unknown): Readonly<Record<string, unknown>> | undefined {
  const extensions =
    typeof payload === 'object' && payload !== null && 'extensions' in payload
      ? payload.extensions
      : undefined;
  const id = readEventId(extensions);
  return id === undefined ? undefined : { [EVENT_ID_EXTENSION]: id };
}
